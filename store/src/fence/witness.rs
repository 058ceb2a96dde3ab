//! The witness: the highest end of every tag and worker number that a server knows to be written.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use leafid_core::registry::{DEFAULT_MAX_WINDOW_MS, Mark};
use leafid_core::{Name, StoreTime};

use crate::backends::{Answer, Group, Outcome, Seen, Want, Write};
use crate::utc;

/// The noted window of a worker number. A release may lower its end, but nothing lowers the time of its
/// last grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// When the window was granted or renewed last.
    pub granted: StoreTime,
    /// The end that was reserved then, as a position.
    pub end: u64,
}

/// One note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The store was fenced: earlier notes of windows no longer count.
    Afresh,
    /// How far the store had come.
    Store(Noted),
    /// A tag and its position.
    Tag(Name, u64),
    /// A worker number of a namespace, and its window.
    Worker(Name, u32, Window),
}

/// How far a store had come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// Its generation and its position.
    pub mark: Mark,
    /// When it was fenced last; 0 if it never was.
    pub fenced: StoreTime,
    /// The latest known time of the store.
    pub latest: StoreTime,
    /// The longest window of any of its namespaces, in ms.
    pub longest_ms: u32,
    /// The identifier of its database.
    pub database: String,
}

/// A row that is below what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Below {
    /// Whether it is a tag without a row.
    pub is_missing_tag: bool,
    /// The difference in words.
    pub said: String,
}

/// The highest ends that a server knows to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// How far the store had come when that was last read.
    pub store: Option<Noted>,
    /// The positions of tags.
    pub tags: BTreeMap<Name, u64>,
    /// The windows of worker numbers.
    pub workers: BTreeMap<(Name, u32), Window>,
}

impl Witness {
    /// Adds a note.
    pub fn note(&mut self, note: Note) {
        match note {
            Note::Afresh => self.workers.clear(),
            Note::Store(noted) => self.store = Some(noted),
            Note::Tag(tag, end) => {
                let noted = self.tags.entry(tag).or_default();
                *noted = end.max(*noted);
            }
            Note::Worker(name, worker, window) => {
                self.workers.insert((name, worker), window);
            }
        }
    }

    /// All notes, as the content of a new file.
    pub fn notes(&self) -> impl Iterator<Item = Note> + '_ {
        let store = self.store.clone().map(Note::Store).into_iter();
        let tags = self.tags.iter().map(|(tag, end)| Note::Tag(*tag, *end));
        let workers = self.workers.iter();
        store.chain(tags).chain(workers.map(|((name, n), window)| Note::Worker(*name, *n, *window)))
    }

    /// Forgets windows that are long over by the latest noted time: no past time is granted.
    pub fn prune(&mut self) {
        let Some(noted) = &self.store else { return };
        let longest = i64::from(noted.longest_ms.max(DEFAULT_MAX_WINDOW_MS)).saturating_mul(2);
        let now = noted.latest;
        self.workers.retain(|_, window| now.since(window.granted) <= longest);
    }

    /// Merges two witnesses. Of the windows only those since the last fence that either knows count: earlier
    /// ones end before any new one begins.
    #[must_use]
    pub fn and(mut self, other: Option<Witness>) -> Witness {
        let Some(mut other) = other else { return self };
        let fences = |known: &Witness| known.store.as_ref().map_or(0, |s| s.mark.generation);
        match fences(&self).cmp(&fences(&other)) {
            Ordering::Less => self.workers.clear(),
            Ordering::Greater => other.workers.clear(),
            Ordering::Equal => {}
        }
        for note in other.notes() {
            match note {
                Note::Store(theirs) => {
                    let ours = self.store.get_or_insert_with(|| theirs.clone());
                    let same = ours.database == theirs.database;
                    let further = |noted: &Noted| {
                        let Mark { generation, position } = noted.mark;
                        (generation, if same { position } else { 0 }, noted.latest)
                    };
                    if further(&theirs) > further(ours) {
                        (ours.mark, ours.database) = (theirs.mark, theirs.database);
                    }
                    ours.fenced = ours.fenced.max(theirs.fenced);
                    ours.latest = ours.latest.max(theirs.latest);
                    ours.longest_ms = ours.longest_ms.max(theirs.longest_ms);
                }
                Note::Worker(name, worker, window) => {
                    let ours = self.workers.entry((name, worker)).or_insert(window);
                    ours.end = ours.end.max(window.end);
                    ours.granted = ours.granted.max(window.granted);
                }
                note => self.note(note),
            }
        }
        self
    }

    /// Whether anything was granted that a store could forget and grant again.
    pub fn has_granted(&self) -> bool {
        let fenced = self.store.as_ref().is_some_and(|noted| noted.mark.generation > 0);
        fenced || !self.tags.is_empty() || !self.workers.is_empty()
    }

    /// Forgets all times and windows, as they come from a clock that was wrong.
    pub fn forget_times(&mut self) {
        self.workers.clear();
        if let Some(noted) = &mut self.store {
            (noted.latest, noted.fenced) = (StoreTime::new(0), StoreTime::new(0));
        }
    }

    /// The highest end of a namespace's windows.
    pub fn highest(&self, name: Name) -> u64 {
        let workers = self.workers.range((name, 0)..=(name, u32::MAX));
        workers.map(|(_, window)| window.end).max().unwrap_or(0)
    }

    /// The latest known time of a grant or of the store.
    pub fn latest(&self) -> StoreTime {
        let granted = self.workers.values().map(|window| window.granted);
        let noted = self.store.as_ref().map(|noted| noted.latest);
        granted.chain(noted).max().unwrap_or(StoreTime::new(0))
    }

    /// The difference, if a row that was read is below what was written.
    pub fn below(&self, want: &Want, answer: &Answer) -> Option<Below> {
        match (want, answer) {
            (Want::Tag(tag), Answer::Tag(_) | Answer::Removed(_)) => {
                let written = *self.tags.get(tag)?;
                let found = match answer {
                    Answer::Tag(Some(seen)) | Answer::Removed(seen) => seen.row.max_id,
                    _ => 0,
                };
                (found < written).then(|| Below {
                    is_missing_tag: found == 0,
                    said: format!("tag `{tag}` stands at {found}, and {written} was written"),
                })
            }
            (Want::Worker(name, worker), Answer::Workers(rows)) if rows.is_empty() => {
                self.window(*name, *worker, StoreTime::new(0), None)
            }
            (
                Want::Worker(name, _)
                | Want::Mine(name, _)
                | Want::Own(name, _)
                | Want::Rested(name, _)
                | Want::Kept(name, _)
                | Want::Workers(name, _),
                Answer::Workers(rows),
            ) => rows.iter().find_map(|(n, Seen { row, .. })| {
                self.window(*name, *n, row.granted, Some(row.reserved_until))
            }),
            _ => None,
        }
    }

    /// The difference, if a worker's row is below its noted window in both time and end. A lower time alone
    /// is no loss: a server that is told to trust its clock lowers it, but never the end, while others run.
    fn window(&self, name: Name, worker: u32, found: StoreTime, end: Option<u64>) -> Option<Below> {
        let noted = self.workers.get(&(name, worker))?;
        (found < noted.granted && end.is_none_or(|end| end < noted.end)).then(|| Below {
            is_missing_tag: false,
            said: format!(
                "worker {worker} of namespace `{name}` was granted last at {}, and at {} as it was written",
                utc::text(found.max(StoreTime::new(0))),
                utc::text(noted.granted)
            ),
        })
    }
}

/// The notes of a written group.
pub fn notes<'g>(group: &'g Group, outcome: &Outcome) -> impl Iterator<Item = Note> + use<'g> {
    let done = matches!(outcome, Outcome::Done(_));
    group.iter().filter(move |_| done).filter_map(|write| match write {
        Write::Tag { tag, after, .. } => Some(Note::Tag(*tag, after.max_id)),
        Write::Worker(write) => {
            let (granted, end) = (write.after.granted, write.after.reserved_until);
            Some(Note::Worker(write.namespace, write.worker, Window { granted, end }))
        }
        _ => None,
    })
}

/// Whether a write records that a holder has something that this store never granted.
pub fn is_evidence(write: &Write) -> bool {
    match write {
        Write::Tag { before, after, .. } => {
            after.claimed_until > before.and_then(|seen| seen.row.claimed_until)
        }
        // Unlike this, a granted renewal keeps the key, and a release raises no end.
        Write::Worker(write) => write.before.is_some_and(|Seen { row, .. }| {
            let lost = row.key.is_some() && write.after.key.is_none();
            lost && write.after.reserved_until > row.reserved_until
        }),
        _ => false,
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

#[cfg(test)]
mod tests {
    use leafid_core::registry::{TagRow, TagSpec, WorkerRow};

    use super::*;

    fn name() -> Name {
        Name::namespace("n").unwrap()
    }

    #[test]
    fn a_row_below_what_was_written_is_noticed_and_one_above_is_not() {
        let mut witness = Witness::default();
        let tag = |max_id| {
            let row = TagRow { max_id, ..TagRow::create(None, &TagSpec::default()).unwrap() };
            Answer::Tag(Some(Seen { row, revision: 0 }))
        };
        let worker = |ms, reserved_until| {
            let granted = StoreTime::new(ms);
            let row = WorkerRow { granted, reserved_until, ..WorkerRow::default() };
            Answer::Workers(vec![(3, Seen { row, revision: 0 })])
        };
        let (tags, workers) = (Want::Tag(name()), Want::Worker(name(), 3));
        assert_eq!(witness.below(&tags, &tag(1)), None, "nothing is known");
        witness.note(Note::Tag(name(), 50));
        witness.note(Note::Tag(name(), 40));
        let window = Window { granted: StoreTime::new(7_000), end: 90 };
        witness.note(Note::Worker(name(), 3, window));
        for (want, answer, below) in [
            (&tags, tag(50), false),
            (&tags, tag(51), false),
            (&tags, tag(49), true),
            (&tags, Answer::Tag(None), true),
            (&workers, worker(7_000, 90), false),
            // The holder released the rest.
            (&workers, worker(7_000, 20), false),
            // The time was lowered to that of a trusted clock.
            (&workers, worker(6_999, 90), false),
            (&workers, worker(6_999, 89), true),
            (&workers, Answer::Workers(Vec::new()), true),
            (&Want::Rested(name(), 1), worker(6_000, 1), true),
            (&Want::Rested(name(), 1), Answer::Workers(Vec::new()), false),
            (&Want::Worker(name(), 4), Answer::Workers(Vec::new()), false),
        ] {
            assert_eq!(witness.below(want, &answer).is_some(), below, "{want:?} {answer:?}");
        }
        witness.note(Note::Afresh);
        assert_eq!(witness.below(&workers, &worker(1, 1)), None, "a fence was set above it");
        assert!(witness.below(&tags, &tag(49)).is_some(), "which has moved every tag up");
    }

    #[test]
    fn windows_that_are_over_are_forgotten_and_tags_are_not() {
        let mut witness = Witness::default();
        let at = |ms| Window { granted: StoreTime::new(ms), end: 1 };
        witness.note(Note::Tag(name(), 50));
        witness.note(Note::Worker(name(), 1, at(1_000_000)));
        witness.note(Note::Worker(name(), 2, at(2_000_000)));
        let longest_ms = 500_000;
        let latest = StoreTime::new(2_300_000);
        witness.note(Note::Store(Noted { latest, longest_ms, ..Noted::default() }));
        witness.prune();
        assert_eq!(witness.workers.keys().map(|(_, n)| *n).collect::<Vec<_>>(), [2]);
        assert_eq!(witness.tags.len(), 1);
    }
}
