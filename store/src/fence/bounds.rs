//! The bounds: of every tag and worker number, what a server knows to be granted at most.

use std::collections::{BTreeMap, BTreeSet};

use leafid_core::{Name, Token};
use leafid_turn::register::{Beat, Line, Row};

use crate::backends::{Group, Write};

/// One note of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The id of the server that writes the journal.
    Server(Token),
    /// The last beat of its record.
    Beat(Beat),
    /// The beat with which it begins anew: the store may have it already.
    Next(Beat),
    /// The other servers of the store.
    Members(BTreeSet<Token>),
    /// The longest window of any namespace, in ms.
    Longest(u32),
    /// A bound.
    Line(Line),
}

/// The content of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The id of its server.
    pub server: Option<Token>,
    /// The last beat of that server's record.
    pub beat: Beat,
    /// The beat with which it was to begin anew.
    pub next: Beat,
    /// The other servers of the store.
    pub members: BTreeSet<Token>,
    /// The longest window of any namespace, in ms.
    pub longest_ms: u32,
    /// Of each tag the number at and above which nothing was granted, of each worker number its last window.
    pub lines: BTreeMap<Row, Line>,
}

impl Bounds {
    /// Adds a note; says whether it was news.
    pub fn note(&mut self, note: Note) -> bool {
        match note {
            Note::Server(id) => self.server.replace(id) != Some(id),
            Note::Next(beat) => std::mem::replace(&mut self.next, beat) != beat,
            Note::Beat(beat) => std::mem::replace(&mut self.beat, beat) != beat,
            Note::Members(members) => {
                let is_new = self.members != members;
                self.members = members;
                is_new
            }
            Note::Longest(ms) => {
                let is_new = ms > self.longest_ms;
                self.longest_ms = ms.max(self.longest_ms);
                is_new
            }
            Note::Line(line) => {
                let is_new = !self.knows(&line);
                if is_new {
                    self.lines.insert(line.row, Line { changed: false, ..line });
                }
                is_new
            }
        }
    }

    /// Adds notes; gives those that were news.
    pub fn learn(&mut self, notes: impl IntoIterator<Item = Note>) -> Vec<Note> {
        notes.into_iter().filter(|note| self.note(note.clone())).collect()
    }

    /// Whether a bound is no news.
    pub fn knows(&self, line: &Line) -> bool {
        self.lines.get(&line.row).is_some_and(|known| {
            known.state > line.state || (known.state, known.end) == (line.state, line.end)
        })
    }

    /// The state of a line's row at its bound; 0 if there is none.
    pub fn state(&self, line: &Line) -> u64 {
        self.lines.get(&line.row).map_or(0, |known| known.state)
    }

    /// The bounds that are above these states of all rows. A tag that is missing at 1 is lost without harm.
    pub fn above(&self, rows: &[Line]) -> Vec<Line> {
        let states: BTreeMap<Row, u64> = rows.iter().map(|line| (line.row, line.state)).collect();
        let state = |line: &Line| states.get(&line.row).copied().unwrap_or(1);
        self.lines.values().filter(|line| line.state > state(line)).copied().collect()
    }

    /// The bounds of these lines.
    pub fn of(&self, lines: &[Line]) -> Bounds {
        let known = lines.iter().filter_map(|line| self.lines.get(&line.row));
        Bounds { lines: known.map(|known| (known.row, *known)).collect(), ..Bounds::default() }
    }

    /// The bounds of tags.
    pub fn tags(&self) -> impl Iterator<Item = (Name, u64)> + '_ {
        let tags = self.lines.values().filter(|line| line.row.1.is_none());
        tags.map(|line| (line.row.0, line.end))
    }

    /// All notes, as the content of a new file.
    pub fn notes(&self) -> impl Iterator<Item = Note> + '_ {
        let server = self.server.map(Note::Server).into_iter();
        let known = [
            Note::Beat(self.beat),
            Note::Next(self.next),
            Note::Members(self.members.clone()),
            Note::Longest(self.longest_ms),
        ];
        server.chain(known).chain(self.lines.values().copied().map(Note::Line))
    }

    /// Takes over the bounds of another journal, and the servers that it knows.
    pub fn merge(&mut self, other: &Bounds) {
        self.members.extend(&other.members);
        self.note(Note::Longest(other.longest_ms));
        for line in other.lines.values() {
            let known = self.lines.entry(line.row).or_insert(*line);
            (known.state, known.end) = (known.state.max(line.state), known.end.max(line.end));
        }
    }

    /// Whether anything was granted that a store could forget and grant again.
    pub fn has_granted(&self) -> bool {
        // A new tag stands at 1.
        self.lines.values().any(|line| line.end > 1 || line.row.1.is_some())
    }
}

/// The longest window of the namespaces in some groups, in ms.
pub fn longest_ms(groups: &[Group]) -> u32 {
    let longest = groups.iter().flatten().map(|write| match write {
        Write::Same(_, seen) => seen.row.namespace.max_window_ms,
        Write::Namespace { after, .. } => after.namespace.max_window_ms,
        _ => 0,
    });
    longest.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> Name {
        Name::tag("orders").unwrap()
    }

    fn window(granted: u64, end: u64) -> Line {
        Line::worker(name(), 3, granted, end)
    }

    fn worker(granted: u64, end: u64) -> Note {
        Note::Line(window(granted, end))
    }

    fn tags(bounds: &Bounds) -> Vec<u64> {
        bounds.tags().map(|(_, end)| end).collect()
    }

    #[test]
    fn a_bound_of_a_tag_only_rises() {
        let mut bounds = Bounds::default();
        let mut note = |line| bounds.note(Note::Line(line));
        let [tag, changed] =
            [false, true].map(|changed| move |end| Line { changed, ..Line::tag(name(), end) });
        let news = [note(tag(5)), note(tag(4)), note(tag(5)), note(changed(6)), note(changed(6))];
        assert_eq!(news, [true, false, false, true, false]);
        assert_eq!(tags(&bounds), [6]);
    }

    /// A release lowers the end of a window; a later grant counts whatever its end, and an earlier one, which
    /// another server noted later, does not.
    #[test]
    fn the_last_grant_of_a_worker_number_counts() {
        let mut bounds = Bounds::default();
        for (granted, end, is_news, known) in [
            (10, 50, true, (10, 50)),
            (10, 50, false, (10, 50)),
            (10, 30, true, (10, 30)),
            (20, 25, true, (20, 25)),
            (10, 90, false, (20, 25)),
        ] {
            assert_eq!(bounds.note(worker(granted, end)), is_news, "{granted} {end}");
            assert_eq!(bounds.lines[&(name(), Some(3))], window(known.0, known.1));
        }
    }

    #[test]
    fn rows_that_are_below_their_bounds_or_missing_are_found() {
        let mut bounds = Bounds::default();
        let [tag, low, number] = [Line::tag(name(), 30), Line::tag(name(), 29), window(10, 50)];
        assert!([tag, number].map(|line| bounds.note(Note::Line(line))) == [true; 2]);
        let released = window(10, 30);
        assert_eq!(bounds.above(&[tag, released]), []);
        assert_eq!(bounds.above(&[low, number]), [tag]);
        assert_eq!(bounds.above(&[tag]), [number]);
        let mut unused = Bounds::default();
        assert!(unused.note(Note::Line(Line::tag(name(), 1))));
        assert_eq!(unused.above(&[]), []);
    }

    /// Which of two journals is the later one is not known, so the more cautious figure of each counts.
    #[test]
    fn what_is_merged_has_the_highest_bounds_of_both() {
        let [one, two] = [1, 2].map(|n| Token::new([n; 16]));
        let beat = |count| Beat { life: 1, salt: 1, count };
        let of = |id, other, count, end, window| {
            let mut bounds = Bounds { server: Some(id), beat: beat(count), ..Bounds::default() };
            bounds.note(Note::Members([other].into()));
            bounds.note(Note::Longest(count as u32));
            bounds.note(Note::Line(Line::tag(name(), end)));
            bounds.note(window);
            bounds
        };
        let (one_has, two_has) =
            (of(one, two, 8, 30, worker(10, 50)), of(two, one, 9, 20, worker(20, 40)));
        let mut merged = one_has.clone();
        merged.merge(&two_has);
        assert_eq!((merged.server, merged.beat), (Some(one), beat(8)), "it stays its server's");
        assert_eq!(merged.members, [one, two].into());
        assert_eq!((merged.longest_ms, tags(&merged)), (9, vec![30]));
        assert_eq!(merged.lines[&(name(), Some(3))], window(20, 50));
        // All of it is in the notes, from which a file is written again.
        let mut read = Bounds::default();
        for note in merged.notes() {
            read.note(note);
        }
        assert_eq!(read, merged);
        let mut unused = Bounds::default();
        assert!(unused.note(Note::Line(Line::tag(name(), 1))));
        assert!(merged.has_granted() && !unused.has_granted());
    }
}
