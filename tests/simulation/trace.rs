//! What happened last, for a replay that is looked at.

use std::collections::VecDeque;

/// So many lines are kept.
const KEPT: usize = 120;

/// The last lines, if they are wanted.
#[derive(Debug, Default)]
pub struct Trace {
    on: bool,
    lines: VecDeque<String>,
}

impl Trace {
    /// A trace that keeps lines or does not.
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

    /// The lines, oldest first.
    pub fn lines(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(String::as_str)
    }
}
