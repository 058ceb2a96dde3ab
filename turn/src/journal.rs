//! The lines of journals, and what the hosts of one machine note in theirs (PROTOCOL R42).

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use leafid_core::registry::TagRow;

use crate::groups::Scope;
use crate::register::{Change, Line, Window};
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
    /// They refuse a holder that had more (`before`) than the store knows.
    Claims,
}

const KINDS: [(Kind, &str); 3] =
    [(Kind::Grants, "grants\n"), (Kind::Claims, "claims\n"), (Kind::Changes, "")];

/// Changes as one text, with their kind in a line before them.
pub fn text(changes: &[Change], kind: Kind) -> String {
    let lines: Vec<String> = changes.iter().map(Change::to_string).collect();
    let word = KINDS.iter().find(|(known, _)| *known == kind && !lines.is_empty());
    format!("{}{}", word.map_or("", |(_, word)| word), lines.join("\n"))
}

/// Reads the text of changes; `None` for what [`text`] does not write.
pub fn read(text: &str) -> Option<(Vec<Change>, Kind)> {
    let (kind, lines) =
        KINDS.iter().find_map(|(kind, word)| Some((*kind, text.strip_prefix(word)?)))?;
    Some((lines.lines().map(|line| line.parse().ok()).collect::<Option<_>>()?, kind))
}

/// The last grant of each row that the hosts with one journal have noted. Of a window, what it was decided on
/// (`before`) is the tick at which it begins: as an interval it can be compared whatever its row says since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants(BTreeMap<Scope, Change>);

impl Grants {
    fn last(&self, change: &Change) -> Option<(Change, u64)> {
        let last = *self.0.get(&Scope::of(&change.line))?;
        let (Line::Worker(.., Window { end, .. }) | Line::Tag(_, end) | Line::Changed(_, end)) =
            last.line;
        Some((last, end))
    }

    /// Whether a grant begins at or above the end of the last one, or moves the end of the same window.
    pub fn admits(&self, grant: &Change) -> bool {
        let is_window = matches!(grant.line, Line::Worker(..));
        self.last(grant).is_none_or(|(last, end)| {
            grant.before >= end || is_window && grant.before == last.before
        })
    }

    /// Takes in a change; says whether it was news. A tag that is only changed may be noted whatever it was
    /// decided on. The notes of one window may come in another order than its row was written.
    pub fn note(&mut self, change: Change) -> bool {
        let (scope, admits) = (Scope::of(&change.line), self.admits(&change));
        let is_news = self.0.get(&scope).is_none_or(|last| match change.line {
            Line::Worker(..) if last.before == change.before => {
                *last != change && last.line.state() <= change.line.state()
            }
            Line::Worker(..) => admits,
            _ => last.line.state() < change.line.state(),
        });
        if is_news {
            self.0.insert(scope, change);
        }
        is_news
    }

    /// What is known of the rows on which a request is decided again: of grants that are not admitted, and of
    /// claims that were granted; and of the worker numbers after them, which probably went back, too.
    pub fn lost(&self, changes: &[Change], kind: Kind) -> Vec<Change> {
        let is_lost = |change: &&Change| match kind {
            Kind::Changes => false,
            Kind::Grants => !self.admits(change),
            Kind::Claims => self.last(change).is_some_and(|(_, end)| change.before <= end),
        };
        let known = changes.iter().filter(is_lost).flat_map(|change| {
            let first = Scope::of(&change.line);
            let beside = move |scope: &Scope| match (scope, first) {
                (Scope::Worker(name, _), Scope::Worker(other, _)) => *name == other,
                _ => *scope == first,
            };
            self.0.range(first..).take_while(move |(scope, _)| beside(scope)).take(AT_ONCE)
        });
        known.map(|(_, last)| *last).collect()
    }

    /// All that counts.
    pub fn all(&self) -> impl ExactSizeIterator<Item = &Change> {
        self.0.values()
    }
}

/// Raises the rows that lie below what a journal of hosts knows of them; tells how many. A number whose row
/// has a window across that rests until both are over (PROTOCOL R24): its holder was not answered.
///
/// # Errors
/// As [`TurnRows::tag`].
pub fn raise(turn: &mut TurnRows, known: &[Change]) -> Result<u64, Stop> {
    for Change { line, .. } in known {
        // Looking at a row requests it: all in one read.
        match line {
            Line::Worker(name, worker, _) => windows::want_held(turn, name, *worker),
            Line::Tag(tag, _) | Line::Changed(tag, _) => drop(turn.tag(tag)),
        }
    }
    let mut raised = 0;
    for &Change { before: from, line } in known {
        match line {
            Line::Tag(tag, end) | Line::Changed(tag, end) => {
                let row = turn.tag(&tag)?;
                let lost = row.is_none().then(TagRow::lost);
                if let Some(after) = row.or(lost).and_then(|row| row.raised(end)).or(lost) {
                    turn.settle(&tag);
                    turn.put_tag(&tag, after);
                    raised += 1;
                }
            }
            Line::Worker(name, worker, Window { granted, end }) => {
                let Some(_) = turn.namespace(&name)? else { continue };
                let row = turn.worker(&name, worker)?.unwrap_or_default();
                let is_later = row.held_from == from || row.held_from >= end;
                let young = if is_later { u64::MAX } else { 0 };
                if let Some(after) = row.raised(granted.max(row.granted), end, young) {
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

    use leafid_core::{Name, StoreTime};

    use super::*;

    fn tag(before: u64, end: u64) -> Change {
        Change { before, line: Line::Tag(Name::tag("orders").unwrap(), end) }
    }

    fn worker(n: u32, from: u64, granted: i64, end: u64) -> Change {
        let window = Window { granted: StoreTime::new(granted), end };
        Change { before: from, line: Line::Worker(Name::namespace("n").unwrap(), n, window) }
    }

    #[test]
    fn a_range_of_a_tag_begins_where_the_last_one_ends() {
        let mut known = Grants::default();
        assert!(known.admits(&tag(1, 30)) && known.note(tag(1, 30)) && !known.note(tag(1, 30)));
        assert!(!known.admits(&tag(1, 50)) && !known.admits(&tag(29, 40)));
        assert!(known.admits(&tag(30, 40)) && known.admits(&tag(70, 80)));
        assert_eq!(known.lost(&[tag(1, 50), tag(30, 40)], Kind::Grants), [tag(1, 30)]);
        assert_eq!(known.lost(&[tag(30, 5)], Kind::Claims), [tag(1, 30)]);
        assert_eq!(known.lost(&[tag(31, 5)], Kind::Claims), [], "who granted that is not known");
        assert_eq!(known.lost(&[tag(1, 50)], Kind::Changes), []);
        // An operator advanced a row that had gone back.
        assert!(!known.note(tag(5, 20)) && known.note(tag(5, 90)));
        assert!(!known.admits(&tag(30, 40)) && known.admits(&tag(90, 91)));
    }

    #[test]
    fn a_window_goes_on_or_begins_above_the_last_one() {
        let mut known = Grants::default();
        assert!(known.note(worker(3, 100, 10, 150)) && known.note(worker(3, 100, 20, 160)));
        assert!(!known.note(worker(3, 100, 15, 155)), "an earlier renewal, noted late");
        assert!(known.admits(&worker(3, 100, 30, 170)), "a renewal");
        assert!(!known.admits(&worker(3, 40, 30, 170)), "a renewal of an earlier holder");
        assert!(!known.admits(&worker(3, 159, 30, 170)) && !known.note(worker(3, 159, 30, 170)));
        assert!(known.note(worker(3, 100, 20, 120)), "a release");
        assert!(known.admits(&worker(3, 120, 30, 170)) && known.note(worker(3, 120, 20, 170)));
        assert!(!known.admits(&worker(3, 100, 40, 180)));
        for n in [2, 4, 5] {
            known.note(worker(n, 1, 1, 2));
        }
        let lost = known.lost(&[worker(3, 100, 40, 180), worker(9, 1, 1, 2)], Kind::Grants);
        assert_eq!(lost, [worker(3, 120, 20, 170), worker(4, 1, 1, 2), worker(5, 1, 1, 2)]);
    }

    #[test]
    fn changes_are_one_text() {
        let changes = vec![tag(1, 30), worker(3, 100, 10, 150)];
        for (kind, _) in KINDS {
            assert_eq!(read(&text(&changes, kind)), Some((changes.clone(), kind)));
        }
        assert_eq!(
            (text(&[], Kind::Grants), read("")),
            (String::new(), Some((vec![], Kind::Changes)))
        );
        assert_eq!(text(&changes, Kind::Grants), "grants\n1 tag 30 orders\n100 worker 3 10 150 n");
        assert!(read("grants").is_none() && read("1 tag").is_none());
    }
}
