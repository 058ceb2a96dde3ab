//! What happened last, for a replay that is looked at.

use std::collections::VecDeque;

const KEPT: usize = 120;

#[derive(Debug, Default)]
pub struct Trace {
    on: bool,
    lines: VecDeque<String>,
}

impl Trace {
    pub fn new(on: bool) -> Trace {
        Trace { on, lines: VecDeque::new() }
    }

    /// Keeps a line; it is made only if it is wanted.
    pub fn note(&mut self, t: i64, line: impl FnOnce() -> String) {
        if !self.on {
            return;
        }
        if self.lines.len() == KEPT {
            self.lines.pop_front();
        }
        self.lines.push_back(format!("{t} {}", line()));
    }

    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }
}
