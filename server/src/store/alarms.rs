//! Lines that went back: a holder has more of them than the store knows. A worker's line is
//! remembered until the store's end lies above what was reported. A tag's is until an operator has
//! advanced it so far: leases that carried it there may have granted what others hold. A fence moves
//! all lines, and ends all of it.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use leafid_core::Name;

use crate::problem::Problem;
use crate::store::{Page, Store};

/// How many lines are remembered. A store that lost more than these is found out just as well.
const MOST: usize = 64;

/// A line of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    /// The numbers of a tag.
    Tag(Name),
    /// The ticks of a worker number of a namespace.
    Worker(Name, u32),
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Line::Tag(tag) => write!(f, "tag `{tag}`"),
            Line::Worker(namespace, worker) => {
                write!(f, "worker {worker} of namespace `{namespace}`")
            }
        }
    }
}

/// What was reported of a line.
#[derive(Clone, Copy, Debug)]
struct Alarm {
    ends: Ends,
    /// How often the store had been fenced then.
    generation: u64,
}

/// Up to where a line was granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// As a holder has it.
    pub have_until: u64,
    /// As the store has it.
    pub stands_at: u64,
}

/// What an alarm told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raised {
    /// A line that nobody had reported, or more of it.
    News,
    /// Nothing that was not known.
    Known,
    /// Another line, where too many went back for more to be remembered.
    Full,
}

/// The lines that went back.
#[derive(Debug, Default)]
pub struct Alarms {
    lines: Mutex<BTreeMap<Line, Alarm>>,
}

impl Alarms {
    /// Remembers that a line went back.
    pub fn raise(&self, line: Line, ends: Ends, generation: u64) -> Raised {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let full = lines.len() >= MOST;
        match lines.get_mut(&line) {
            Some(known) if known.ends.have_until >= ends.have_until => Raised::Known,
            Some(known) => {
                *known = Alarm { ends, generation };
                Raised::News
            }
            None if full => Raised::Full,
            None => {
                lines.insert(line, Alarm { ends, generation });
                Raised::News
            }
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// The lines as they stood when they were looked at last.
    pub fn known(&self) -> Vec<(Line, Ends)> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().map(|(line, alarm)| (*line, alarm.ends)).collect()
    }

    /// The lines that nobody has moved past what was reported, as they stand now.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn standing(&self, store: &dyn Store) -> Result<Vec<(Line, Ends)>, Problem> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut standing = Vec::new();
        for (line, Alarm { ends, generation }) in lines {
            let stands_at = match line {
                Line::Tag(tag) => stands(store.tag(tag).await.map(|row| row.max_id))?,
                Line::Worker(namespace, worker) => {
                    let page = Page { after: worker.checked_sub(1), limit: 1 };
                    let rows = stands(store.workers(namespace, page).await)?;
                    let row = rows.and_then(|rows| rows.into_iter().find(|row| row.0 == worker));
                    row.map(|(_, row)| row.reserved_until)
                }
            };
            // A line that is gone altogether stands at 0.
            let stands_at = stands_at.unwrap_or(0);
            let fenced = store.generation() > generation;
            if fenced {
                self.end(line, generation);
            } else if stands_at < ends.have_until || matches!(line, Line::Tag(_)) {
                standing.push((line, Ends { stands_at, ..ends }));
                self.stand(line, stands_at);
            } else {
                self.settle(line, stands_at);
            }
        }
        Ok(standing)
    }

    fn stand(&self, line: Line, stands_at: u64) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(alarm) = lines.get_mut(&line) {
            alarm.ends.stands_at = stands_at;
        }
    }

    fn end(&self, line: Line, generation: u64) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.get(&line).is_some_and(|alarm| alarm.generation == generation) {
            lines.remove(&line);
            tracing::info!("{line} was moved by a fence, past what holders may have of it");
        }
    }

    /// Forgets a line that stands so high, unless a holder has reported more meanwhile.
    pub fn settle(&self, line: Line, stands_at: u64) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.get(&line).is_some_and(|alarm| alarm.ends.have_until <= stands_at) {
            lines.remove(&line);
            tracing::info!("{line} was moved to {stands_at}, past what holders have of it");
        }
    }
}

/// What was read, or nothing if there is no such row.
fn stands<T>(read: Result<T, Problem>) -> Result<Option<T>, Problem> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(problem) if problem.code.http_status() == Some(404) => Ok(None),
        Err(problem) => Err(problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_news_once_unless_more_of_it_is_missing() {
        let alarms = Alarms::default();
        let line = |worker| Line::Worker(Name::namespace("n").unwrap(), worker);
        let ends = |have_until| Ends { have_until, stands_at: 1 };
        assert_eq!(alarms.raise(line(0), ends(9), 0), Raised::News);
        assert_eq!(alarms.raise(line(0), ends(8), 0), Raised::Known);
        assert_eq!(alarms.raise(line(0), ends(10), 0), Raised::News);
        for worker in 1..MOST as u32 {
            assert_eq!(alarms.raise(line(worker), ends(9), 0), Raised::News);
        }
        assert_eq!(alarms.raise(line(MOST as u32), ends(9), 0), Raised::Full);
        alarms.settle(line(0), 9);
        assert_eq!(
            alarms.raise(line(0), ends(10), 0),
            Raised::Known,
            "it stands below what is held"
        );
        alarms.settle(line(0), 10);
        assert_eq!(
            alarms.raise(line(MOST as u32), ends(9), 0),
            Raised::News,
            "there is room again"
        );
    }
}
