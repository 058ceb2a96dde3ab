//! The bounds: of every tag and worker number, what a server knows to be granted at most.

use std::collections::{BTreeMap, BTreeSet};

use leafid_core::{Name, Token};
use leafid_turn::groups::Scope;
use leafid_turn::register::{Beat, Line, Window};

use crate::backends::{Group, Write};

/// One note of a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Forgets all windows: their times are of a clock that was wrong.
    Afresh,
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
    /// Of each tag, the number at and above which nothing was granted.
    pub tags: BTreeMap<Name, u64>,
    /// Of each worker number, its last window.
    pub workers: BTreeMap<(Name, u32), Window>,
}

impl Bounds {
    /// Adds a note; says whether it was news.
    pub fn note(&mut self, note: Note) -> bool {
        match note {
            Note::Afresh => {
                self.workers.clear();
                true
            }
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
                match line {
                    _ if !is_new => {}
                    Line::Tag(tag, end) | Line::Changed(tag, end) => {
                        self.tags.insert(tag, end);
                    }
                    Line::Worker(name, worker, window) => {
                        self.workers.insert((name, worker), window);
                    }
                }
                is_new
            }
        }
    }

    /// Whether a bound is no news.
    pub fn knows(&self, line: &Line) -> bool {
        match line {
            Line::Tag(tag, end) | Line::Changed(tag, end) => {
                self.tags.get(tag).is_some_and(|known| known >= end)
            }
            Line::Worker(name, worker, window) => {
                let known = self.workers.get(&(*name, *worker));
                known.is_some_and(|known| known.granted > window.granted || known == window)
            }
        }
    }

    /// The state of a line's row at its bound; 0 if there is none.
    pub fn state(&self, line: &Line) -> u64 {
        match line {
            Line::Tag(tag, _) | Line::Changed(tag, _) => self.tags.get(tag).copied().unwrap_or(0),
            Line::Worker(name, worker, _) => {
                let known = self.workers.get(&(*name, *worker));
                known.map_or(0, |known| Line::Worker(*name, *worker, *known).state())
            }
        }
    }

    /// The bounds that are above these states of all rows. A tag that is missing at 1 is lost without harm.
    pub fn above(&self, rows: &[Line]) -> Vec<Line> {
        let states: BTreeMap<Scope, u64> =
            rows.iter().map(|line| (Scope::of(line), line.state())).collect();
        let state = |line: &Line| states.get(&Scope::of(line)).copied().unwrap_or(1);
        self.lines().filter(|line| line.state() > state(line)).collect()
    }

    /// The bounds of these lines.
    pub fn of(&self, lines: &[Line]) -> Bounds {
        let mut of = Bounds::default();
        for line in lines {
            match line {
                Line::Tag(tag, _) | Line::Changed(tag, _) => {
                    of.tags.extend(self.tags.get(tag).map(|end| (*tag, *end)));
                }
                Line::Worker(name, worker, _) => {
                    let key = (*name, *worker);
                    of.workers.extend(self.workers.get(&key).map(|window| (key, *window)));
                }
            }
        }
        of
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
        server.chain(known).chain(self.lines().map(Note::Line))
    }

    /// All bounds.
    pub fn lines(&self) -> impl Iterator<Item = Line> + '_ {
        let tags = self.tags.iter().map(|(tag, end)| Line::Tag(*tag, *end));
        let workers = self.workers.iter();
        tags.chain(workers.map(|((name, n), window)| Line::Worker(*name, *n, *window)))
    }

    /// Takes over the bounds of another journal, and the servers that it knows.
    pub fn merge(&mut self, other: &Bounds) {
        self.members.extend(&other.members);
        self.note(Note::Longest(other.longest_ms));
        for line in other.lines() {
            match line {
                Line::Worker(name, worker, window) => {
                    let known = self.workers.entry((name, worker)).or_insert(window);
                    known.end = known.end.max(window.end);
                    known.granted = known.granted.max(window.granted);
                }
                line => drop(self.note(Note::Line(line))),
            }
        }
    }

    /// Whether anything was granted that a store could forget and grant again.
    pub fn has_granted(&self) -> bool {
        // A new tag stands at 1.
        self.tags.values().any(|end| *end > 1) || !self.workers.is_empty()
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
    use leafid_core::StoreTime;

    use super::*;

    fn name() -> Name {
        Name::tag("orders").unwrap()
    }

    fn window(granted: i64, end: u64) -> Window {
        Window { granted: StoreTime::new(granted), end }
    }

    fn worker(granted: i64, end: u64) -> Note {
        Note::Line(Line::Worker(name(), 3, window(granted, end)))
    }

    #[test]
    fn a_bound_of_a_tag_only_rises() {
        let mut bounds = Bounds::default();
        let mut note = |line| bounds.note(Note::Line(line));
        let [tag, changed] = [Line::Tag, Line::Changed].map(|line| move |end| line(name(), end));
        let news = [note(tag(5)), note(tag(4)), note(tag(5)), note(changed(6)), note(changed(6))];
        assert_eq!(news, [true, false, false, true, false]);
        assert_eq!(bounds.tags, [(name(), 6)].into());
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
            assert_eq!(bounds.workers[&(name(), 3)], window(known.0, known.1));
        }
        assert!(bounds.note(Note::Afresh) && bounds.workers.is_empty());
        assert!(bounds.note(worker(5, 7)), "what a wrong clock granted is forgotten");
    }

    #[test]
    fn rows_that_are_below_their_bounds_or_missing_are_found() {
        let mut bounds = Bounds::default();
        let [tag, low, number] =
            [Line::Tag(name(), 30), Line::Tag(name(), 29), Line::Worker(name(), 3, window(10, 50))];
        assert!([tag, number].map(|line| bounds.note(Note::Line(line))) == [true; 2]);
        let released = Line::Worker(name(), 3, window(10, 30));
        assert_eq!(bounds.above(&[tag, released]), []);
        assert_eq!(bounds.above(&[low, number]), [tag]);
        assert_eq!(bounds.above(&[tag]), [number]);
        let unused = Bounds { tags: [(name(), 1)].into(), ..Bounds::default() };
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
            bounds.note(Note::Line(Line::Tag(name(), end)));
            bounds.note(window);
            bounds
        };
        let (one_has, two_has) =
            (of(one, two, 8, 30, worker(10, 50)), of(two, one, 9, 20, worker(20, 40)));
        let mut merged = one_has.clone();
        merged.merge(&two_has);
        assert_eq!((merged.server, merged.beat), (Some(one), beat(8)), "it stays its server's");
        assert_eq!(merged.members, [one, two].into());
        assert_eq!((merged.longest_ms, &merged.tags), (9, &[(name(), 30)].into()));
        assert_eq!(merged.workers, [((name(), 3), window(20, 50))].into());
        // All of it is in the notes, from which a file is written again.
        let mut read = Bounds::default();
        for note in merged.notes() {
            read.note(note);
        }
        assert_eq!(read, merged);
        let unused = Bounds { tags: [(name(), 1)].into(), ..Bounds::default() };
        assert!(merged.has_granted() && !unused.has_granted());
    }
}
