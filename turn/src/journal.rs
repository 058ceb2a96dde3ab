//! The lines of journals, and what the hosts of one machine note in theirs (PROTOCOL R42).

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use leafid_core::Token;
use leafid_core::registry::{DEFAULT_MAX_STEP, DEFAULT_STEP, TagRow};

use crate::register::{Change, Line, Row};
use crate::rows::TurnRows;
use crate::stop::Stop;
use crate::windows;

/// The most rows of a namespace that are raised at once.
const AT_ONCE: usize = 100;

/// Writes a line of a journal: a line that was cut off by a crash, or corrupted, is skipped, and the others count.
pub fn seal(said: &str) -> String {
    format!("{said} #{:08x}\n", checksum(said))
}

/// Reads a line, without its line break; `None` if its checksum is wrong.
pub fn unseal(line: &str) -> Option<&str> {
    let (said, sum) = line.rsplit_once(" #")?;
    (u32::from_str_radix(sum, 16) == Ok(checksum(said))).then_some(said)
}

/// FNV-1a: detects lines that were cut off or corrupted, but not forgery.
fn checksum(said: &str) -> u32 {
    said.bytes().fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// What the changes of a request mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// They are only noted.
    Changes,
    /// They grant something.
    Grants,
    /// They are refused, as a holder has or had more (`before`) than the store knows.
    Claims,
}

const KINDS: [Kind; 3] = [Kind::Changes, Kind::Grants, Kind::Claims];

/// Changes as one text, each in a line after their kind; empty for none.
pub fn text(changes: &[Change], kind: Kind) -> String {
    let lines: String = changes.iter().map(|change| format!("\n{change}")).collect();
    if lines.is_empty() { lines } else { format!("{kind:?}{lines}") }
}

/// Reads the text of changes; `None` for what [`text`] does not write.
pub fn read(text: &str) -> Option<(Vec<Change>, Kind)> {
    let (word, lines) = text.split_once('\n')?;
    let kind = KINDS.into_iter().find(|kind| format!("{kind:?}") == word)?;
    Some((lines.lines().map(|line| line.parse().ok()).collect::<Option<_>>()?, kind))
}

/// A key as a number, by which a window is known again; 0 for none.
pub fn key_number(key: Option<Token>) -> u64 {
    let bytes = key.map_or([0; 16], |key| key.bytes());
    bytes.iter().take(4).fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The last grant of each row that the hosts with one journal have noted, as
/// [`TurnRows::intervals`] tells them: an interval can be compared whatever became of its row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants(BTreeMap<Row, Change>);

impl Grants {
    fn last(&self, change: &Change) -> Option<&Line> {
        self.0.get(&change.line.row).map(|last| &last.line)
    }

    /// Whether a grant begins at or above the end of the last one, or moves the end of the same window.
    pub fn admits(&self, grant: &Change) -> bool {
        self.last(grant)
            .is_none_or(|last| grant.before >= last.end || is_same_window(last, &grant.line))
    }

    /// Whether a change has to be noted. A tag that is only changed may be noted whatever it was decided on. Grants
    /// of one window may come in another order than its row was written; what its holder gives back counts.
    pub fn is_news(&self, change: &Change, kind: Kind) -> bool {
        let end = change.line.end;
        self.last(change).is_none_or(|last| match change.line.row {
            (_, Some(_)) if is_same_window(last, &change.line) => {
                end > last.end || end < last.end && kind == Kind::Changes
            }
            (_, Some(_)) => change.before >= last.end,
            _ => end > last.end,
        })
    }

    /// Takes in what was noted, in its order.
    pub fn learn(&mut self, noted: Change) {
        self.0.insert(noted.line.row, noted);
    }

    /// The last grants that contradict a request: those that its grants overlap, and those that cover the numbers
    /// that its holder claims. Then the store has gone back, and the request is decided again on raised rows. With a
    /// worker number come the next ones of its namespace, which have probably gone back, too.
    pub fn lost(&self, changes: &[Change], kind: Kind) -> Vec<Change> {
        let is_lost = |change: &&Change| match kind {
            Kind::Changes => false,
            Kind::Grants => !self.admits(change),
            Kind::Claims => self.last(change).is_some_and(|last| change.before <= last.end),
        };
        let known = changes.iter().filter(is_lost).flat_map(|change| {
            let first = change.line.row;
            let beside = move |row: &Row| row.0 == first.0 && row.1.is_some() == first.1.is_some();
            self.0.range(first..).take_while(move |(row, _)| beside(row)).take(AT_ONCE)
        });
        known.map(|(_, last)| *last).collect()
    }

    /// All that counts.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &Change> {
        self.0.values()
    }
}

fn is_same_window(one: &Line, other: &Line) -> bool {
    one.row.1.is_some() && one.state == other.state
}

/// The row of a tag that was lost, which is raised to its bound (PROTOCOL R25).
pub fn tombstone() -> TagRow {
    let (step, max_step, deleted) = (DEFAULT_STEP, DEFAULT_MAX_STEP, true);
    TagRow { max_id: 1, step, max_step, deleted, until: None, claimed_until: None }
}

/// Raises the rows that lie below what a journal of hosts knows of them; tells how many. A number whose row
/// has a window across that rests until both are over (PROTOCOL R24): its holder was not answered.
///
/// # Errors
/// As [`TurnRows::tag`].
pub fn raise(turn: &mut TurnRows, known: &[Change]) -> Result<u64, Stop> {
    for Change { line, .. } in known {
        // Looking at a row requests it: all in one read.
        match &line.row {
            (name, Some(worker)) => windows::want_held(turn, name, *worker),
            (tag, None) => drop(turn.tag(tag)),
        }
    }
    let mut raised = 0;
    for &Change { line: Line { row, state: key, end, .. }, .. } in known {
        match row {
            (tag, None) => {
                let row = turn.tag(&tag)?;
                let lost = row.is_none().then(tombstone);
                if let Some(after) = row.or(lost).and_then(|row| row.raised(end)).or(lost) {
                    turn.settle(&tag);
                    turn.put_tag(&tag, after);
                    raised += 1;
                }
            }
            (name, Some(worker)) => {
                let Some(_) = turn.namespace(&name)? else { continue };
                let row = turn.worker(&name, worker)?.unwrap_or_default();
                let is_known = key_number(row.key) == key || row.held_from >= end;
                let young = if is_known { u64::MAX } else { 0 };
                if let Some(after) = row.raised(row.granted, end, young) {
                    turn.put_worker(&name, worker, after);
                    raised += 1;
                }
            }
        }
    }
    Ok(raised)
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use leafid_core::Name;

    use super::*;

    fn tag(before: u64, end: u64) -> Change {
        Change { before, line: Line::tag(Name::tag("orders").unwrap(), end) }
    }

    fn worker(n: u32, from: u64, key: u64, end: u64) -> Change {
        let line = Line::worker(Name::namespace("n").unwrap(), n, key, end);
        Change { before: from, line }
    }

    /// Notes a change as a host does; says whether it may be granted.
    fn note(known: &mut Grants, change: Change, kind: Kind) -> bool {
        if !known.lost(&[change], kind).is_empty() {
            return false;
        }
        if known.is_news(&change, kind) {
            known.learn(change);
        }
        true
    }

    #[test]
    fn a_range_of_a_tag_begins_where_the_last_one_ends() {
        let mut known = Grants::default();
        assert!(note(&mut known, tag(1, 30), Kind::Grants));
        for (from, end, may) in [(1, 30, false), (29, 40, false), (30, 40, true), (70, 80, true)] {
            assert_eq!(known.clone().admits(&tag(from, end)), may, "{from} {end}");
        }
        assert_eq!(known.lost(&[tag(1, 50), tag(30, 40)], Kind::Grants), [tag(1, 30)]);
        assert_eq!(known.lost(&[tag(30, 5)], Kind::Claims), [tag(1, 30)]);
        assert_eq!(known.lost(&[tag(31, 5)], Kind::Claims), [], "who granted that is not known");
        // An operator advanced a row that had gone back.
        for (end, from) in [(20, 30), (90, 90)] {
            assert!(note(&mut known, tag(5, end), Kind::Changes));
            assert!(known.admits(&tag(from, 95)) && !known.admits(&tag(from - 1, 95)));
        }
    }

    #[test]
    fn a_window_goes_on_or_begins_above_the_last_one() {
        let mut known = Grants::default();
        let mut noted = |from, key, end, kind| note(&mut known, worker(3, from, key, end), kind);
        assert!(noted(100, 7, 150, Kind::Grants) && noted(100, 7, 170, Kind::Grants));
        assert!(noted(100, 7, 160, Kind::Grants), "an earlier renewal, noted late");
        assert!(!noted(40, 6, 190, Kind::Grants), "a renewal of an earlier holder");
        assert!(!noted(100, 8, 190, Kind::Grants) && !noted(169, 8, 190, Kind::Grants));
        assert!(noted(100, 8, 120, Kind::Changes), "an earlier holder gives back what it had");
        assert!(!noted(169, 8, 190, Kind::Grants), "and that does not count");
        assert!(noted(100, 7, 120, Kind::Changes) && noted(120, 8, 190, Kind::Grants));
        assert!(!noted(100, 7, 200, Kind::Grants));
        for n in [2, 4, 5] {
            assert!(note(&mut known, worker(n, 1, 1, 2), Kind::Grants));
        }
        let lost = known.lost(&[worker(3, 100, 7, 200), worker(9, 1, 1, 2)], Kind::Grants);
        assert_eq!(lost, [worker(3, 120, 8, 190), worker(4, 1, 1, 2), worker(5, 1, 1, 2)]);
    }

    #[test]
    fn changes_are_one_text() {
        let changes = vec![tag(1, 30), worker(3, 100, 10, 150)];
        for kind in KINDS {
            assert_eq!(read(&text(&changes, kind)), Some((changes.clone(), kind)));
        }
        assert_eq!(text(&[], Kind::Grants), "");
        assert_eq!(text(&changes, Kind::Grants), "Grants\n1 tag 30 orders\n100 worker 3 10 150 n");
        for wrong in ["", "Grants", "Grants\n1 tag", "1 tag 30 orders"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
