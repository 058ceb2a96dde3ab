//! The bounds: of every tag and worker number, what a server knows to be granted at most.

use std::collections::{BTreeMap, BTreeSet};

use leafid_core::{Name, Token};
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

    /// All notes, as the content of a new file.
    pub fn notes(&self) -> impl Iterator<Item = Note> + '_ {
        let server = self.server.map(Note::Server).into_iter();
        let known = [
            Note::Beat(self.beat),
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
        !self.tags.is_empty() || !self.workers.is_empty()
    }
}

/// The longest window of the namespaces in a group, in ms.
pub fn longest_ms(group: &Group) -> u32 {
    let longest = group.iter().map(|write| match write {
        Write::Same(_, seen) => seen.row.namespace.max_window_ms,
        Write::Namespace { after, .. } => after.namespace.max_window_ms,
        _ => 0,
    });
    longest.max().unwrap_or(0)
}
