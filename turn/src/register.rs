//! The register: the servers of a store, each with its record, by which they know that nothing that any of
//! them wrote is missing from the store.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use leafid_core::{Name, StoreTime, Token};

use crate::hex;
use crate::problem::Problem;

/// The most lines in a record; instead of more it tells the others to read every row.
pub const MOST_LINES: usize = 1_000;

/// The number of a write of a server's record. No two writes ever have the same one, also not in copies of
/// the store that go on separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Beat {
    /// How often a server has started with this journal.
    pub life: u64,
    /// A random number of this start.
    pub salt: u32,
    /// How often the record was written since.
    pub count: u64,
}

impl Beat {
    /// The beat of the next write.
    #[must_use]
    pub fn next(self) -> Beat {
        Beat { count: self.count + 1, ..self }
    }

    /// Whether this is the other one or a later write of the same start.
    pub fn is_since(self, other: Beat) -> bool {
        (self.life, self.salt) == (other.life, other.salt) && self.count >= other.count
    }
}

impl fmt::Display for Beat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:08x}.{}", self.life, self.salt, self.count)
    }
}

impl FromStr for Beat {
    type Err = ();

    fn from_str(text: &str) -> Result<Beat, ()> {
        let mut parts = text.split('.');
        let mut next = || parts.next().ok_or(());
        let life = next()?.parse().map_err(|_| ())?;
        let salt = u32::from_str_radix(next()?, 16).map_err(|_| ())?;
        let count = next()?.parse().map_err(|_| ())?;
        if parts.next().is_some() { Err(()) } else { Ok(Beat { life, salt, count }) }
    }
}

/// A row with a bound: of a tag, or of a worker number of a namespace.
pub type Row = (Name, Option<u32>);

/// The bound of a row, which a server notes in its journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The row.
    pub row: Row,
    /// What nothing lowers: the position of a tag; of a worker number when its window was granted or renewed
    /// last, in ms since 1970, or, in the journal of programs, the window's key as a number.
    pub state: u64,
    /// No number of the tag at or above it was granted; the end of the window, as a tick, which a release lowers.
    pub end: u64,
    /// Whether a tag was changed otherwise, too: what another server has in hand of it no longer counts.
    pub changed: bool,
}

impl Line {
    /// The bound of a tag.
    pub fn tag(tag: Name, end: u64) -> Line {
        Line { row: (tag, None), state: end, end, changed: false }
    }

    /// The window of a worker number.
    pub fn worker(namespace: Name, worker: u32, state: u64, end: u64) -> Line {
        Line { row: (namespace, Some(worker)), state, end, changed: false }
    }

    /// When the window of a worker number was granted or renewed last.
    pub fn granted(&self) -> StoreTime {
        StoreTime::new(i64::try_from(self.state).unwrap_or(i64::MAX))
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { row: (name, worker), state, end, changed } = self;
        match worker {
            Some(worker) => write!(f, "worker {worker} {state} {end} {name}"),
            None if *changed => write!(f, "changed {end} {name}"),
            None => write!(f, "tag {end} {name}"),
        }
    }
}

impl FromStr for Line {
    type Err = ();

    fn from_str(text: &str) -> Result<Line, ()> {
        // The name stands last, as one in Leaf's table may have blanks.
        let mut words = text.splitn(if text.starts_with("worker ") { 5 } else { 3 }, ' ');
        let mut next = || words.next().ok_or(());
        let number = |word: &str| word.parse().map_err(|_| ());
        let named = |text: &str| Name::tag(text).or_else(|_| Name::owner(text)).map_err(|_| ());
        match next()? {
            "worker" => {
                let worker = next()?.parse().map_err(|_| ())?;
                let (state, end) = (number(next()?)?, number(next()?)?);
                Ok(Line::worker(named(next()?)?, worker, state, end))
            }
            kind @ ("tag" | "changed") => {
                let end = number(next()?)?;
                Ok(Line { changed: kind == "changed", ..Line::tag(named(next()?)?, end) })
            }
            _ => Err(()),
        }
    }
}

/// A write of a row, or an answer that repeats one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The state on which it was decided.
    pub before: u64,
    /// The bound after it.
    pub line: Line,
}

impl Change {
    /// Whether both wrote the same numbers, or the same window: then the row was put back between them.
    pub fn overlaps(&self, other: &Change) -> bool {
        self.line.row == other.line.row
            && self.before < other.line.state
            && other.before < self.line.state
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.before, self.line)
    }
}

impl FromStr for Change {
    type Err = ();

    fn from_str(text: &str) -> Result<Change, ()> {
        let (before, line) = text.split_once(' ').ok_or(())?;
        Ok(Change { before: before.parse().map_err(|_| ())?, line: line.parse()? })
    }
}

/// A server's record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Its name, for people.
    pub name: String,
    /// Whether it keeps no journal: nobody waits for it.
    pub guest: bool,
    /// Whether it has stopped cleanly: who knows that it had acked everything does not wait for it.
    pub stopped: bool,
    /// The last beat of a server that another one has dropped: nobody waits for it.
    pub out: Option<Beat>,
    /// How often the store had been fenced, as far as the server knew when it wrote this.
    pub generation: u64,
    /// The beat that it waits to be acked, if any.
    pub waits: Option<Beat>,
    /// Of each other server, the beat at which this one has noted its lines.
    pub acks: BTreeMap<Token, Beat>,
    /// What it wrote and not every other server has noted.
    pub lines: Vec<Change>,
    /// Instead of lines: the others have to read every row.
    pub all: bool,
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flags = [(self.guest, "guest"), (self.stopped, "stopped"), (self.all, "all")];
        for (_, flag) in flags.iter().filter(|(is, _)| *is) {
            writeln!(f, "{flag}")?;
        }
        writeln!(f, "name {}", self.name)?;
        writeln!(f, "generation {}", self.generation)?;
        for (word, beat) in [("waits", self.waits), ("out", self.out)] {
            beat.map_or(Ok(()), |beat| writeln!(f, "{word} {beat}"))?;
        }
        for (server, beat) in &self.acks {
            writeln!(f, "ack {} {beat}", hex(*server))?;
        }
        self.lines.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

impl FromStr for Record {
    type Err = String;

    /// Reads a record.
    ///
    /// # Errors
    /// The line that no program of ours writes.
    fn from_str(text: &str) -> Result<Record, String> {
        let mut record = Record::default();
        for line in text.lines() {
            record.learn(line).map_err(|()| format!("`{line}` is no line of a record"))?;
        }
        Ok(record)
    }
}

impl Record {
    fn learn(&mut self, line: &str) -> Result<(), ()> {
        match line.split_once(' ') {
            None => match line {
                "guest" => self.guest = true,
                "stopped" => self.stopped = true,
                "all" => self.all = true,
                _ => return Err(()),
            },
            Some(("name", name)) => self.name = name.to_owned(),
            Some(("generation", count)) => self.generation = count.parse().map_err(|_| ())?,
            Some(("waits", beat)) => self.waits = Some(beat.parse()?),
            Some(("out", beat)) => self.out = Some(beat.parse()?),
            Some(("ack", ack)) => {
                let (server, beat) = ack.split_once(' ').ok_or(())?;
                self.acks.insert(Token::parse(server).map_err(|_| ())?, beat.parse()?);
            }
            Some(_) => self.lines.push(line.parse()?),
        }
        Ok(())
    }

    /// Adds what the others have to note.
    pub fn announce(&mut self, lines: impl IntoIterator<Item = Change>) {
        self.lines.extend(lines);
        if self.lines.len() > MOST_LINES {
            (self.all, self.lines) = (true, Vec::new());
        }
    }
}

/// A server's row in the register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its id, which was made with its journal.
    pub id: Token,
    /// The number of its last write; all 0 for a server that was added by another one.
    pub beat: Beat,
    /// Its record.
    pub record: Record,
    /// The row's revision, where the database counts them.
    pub revision: u64,
}

impl Server {
    /// Reads a row.
    ///
    /// # Errors
    /// What no program of ours writes.
    pub fn read(id: Token, beat: &str, record: &str, revision: u64) -> Result<Server, String> {
        let beat = beat.parse().map_err(|()| format!("`{beat}` is no beat"))?;
        Ok(Server { id, beat, record: record.parse()?, revision })
    }

    /// Whether it has noted what another one wrote with this beat, when the store had been fenced so often: an
    /// ack that was written behind another fence does not count.
    pub fn has_acked(&self, other: Token, beat: Beat, generation: u64) -> bool {
        let acked = self.record.acks.get(&other).is_some_and(|acked| acked.is_since(beat));
        acked && self.record.generation == generation
    }

    /// Whether it keeps a journal and was not dropped.
    pub fn is_member(&self) -> bool {
        !self.record.guest && self.record.out.is_none()
    }

    /// Whether others wait for its acks who do not have to know whether it saw a loss before it stopped.
    pub fn is_awaited(&self) -> bool {
        self.is_member() && !self.record.stopped
    }

    /// The row of a server that is dropped. It has another beat, so the server notices with its next write.
    #[must_use]
    pub fn dropped(&self) -> Server {
        let record =
            Record { name: self.record.name.clone(), out: Some(self.beat), ..Record::default() };
        Server { beat: Beat { count: u64::MAX, ..self.beat }, record, ..self.clone() }
    }

    /// Whether the row is as it was left with this beat, or with the one after it; also if the server was
    /// dropped since.
    pub fn is_as_left(&self, beat: Beat) -> bool {
        let found = self.record.out.unwrap_or(self.beat);
        found == beat || found == beat.next()
    }

    /// Its name and id, for messages.
    pub fn title(&self) -> String {
        let id = hex(self.id);
        let short = id.get(..8).unwrap_or_default();
        format!("{} ({short})", self.record.name)
    }
}

/// The refusal of what these servers have not acked in time; `is_confirmed`: whether all of them have acked
/// something of the server that asks.
pub fn waited_too_long<'s>(
    servers: impl Iterator<Item = &'s Server>,
    is_confirmed: bool,
) -> Problem {
    let names: Vec<String> = servers.map(Server::title).collect();
    let cure = if is_confirmed {
        "one that does not run is not waited for after 8 s, or: leafid server remove NAME"
    } else {
        "nothing is granted before they answer, as it is not known here what they granted: start them, or, if \
         they never come back, stop all servers and run leafid repair with the journals that are left"
    };
    Problem::unavailable(format!(
        "other servers of this store have not noted the request: {}; {cure}",
        names.join(", ")
    ))
}

/// The texts of a row's columns.
pub fn columns(server: &Server) -> (String, String) {
    (server.beat.to_string(), server.record.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_back_and_no_other_line_does() {
        let beat = Beat { life: 2, salt: 0xabc, count: 7 };
        let record = Record {
            name: "host a".to_owned(),
            guest: true,
            generation: 3,
            waits: Some(beat),
            out: Some(beat.next()),
            acks: BTreeMap::from([(Token::new([7; 16]), beat)]),
            lines: Vec::from([
                Line::tag(Name::tag("orders").unwrap(), 21),
                Line { changed: true, ..Line::tag(Name::owner("订单 # 7%").unwrap(), 1) },
                Line::worker(
                    Name::namespace("n").unwrap(),
                    u32::MAX,
                    1_800_000_000_000,
                    u64::MAX >> 1,
                ),
            ])
            .into_iter()
            .map(|line| Change { before: line.state - 1, line })
            .collect(),
            ..Record::default()
        };
        let text = record.to_string();
        assert_eq!(text.parse(), Ok(record), "{text}");
        assert_eq!(
            columns(&Server {
                id: Token::new([1; 16]),
                beat,
                record: Record::default(),
                revision: 0
            })
            .0,
            "2.00000abc.7"
        );
        for bad in [
            "guests",
            "ack 7 1.2.3",
            "1 tag x orders",
            "1 tag 7",
            "1 worker 1 2 n",
            "x tag 7 orders",
            "1.2.3",
        ] {
            assert!(bad.parse::<Record>().is_err(), "{bad}");
        }
        for bad in ["", "1.2", "1.2.3.4", "1.x.3"] {
            assert!(bad.parse::<Beat>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_beat_is_since_another_only_of_the_same_start() {
        let beat = Beat { life: 1, salt: 5, count: 3 };
        assert!(beat.is_since(beat) && beat.next().is_since(beat) && !beat.is_since(beat.next()));
        assert!(!Beat { salt: 6, ..beat.next() }.is_since(beat));
    }
}
