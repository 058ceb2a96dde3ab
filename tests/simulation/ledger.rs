//! The oracle: the grants, their holders, and the issued IDs, line by line. It knows nothing of
//! rows, cursors or clocks.

use leafid_core::{Range, Token};
use leafid_stream::intervals::Intervals;
use leafid_stream::owned::Owned;

use crate::verdict::{Verdict, fail};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineName {
    Tag(usize),
    Worker(usize, u32),
}

/// The asker's identity, which every request id of the simulation contains.
pub fn identity(request: Token) -> u32 {
    (owner(request) >> 32) as u32
}

fn owner(request: Token) -> u64 {
    let [.., a, b, c, d, e, f, g, h] = request.bytes();
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Makes a request id that contains the asker's identity.
pub fn request(identity: u32, counter: u32, random: u64) -> [u8; 16] {
    let low = u64::from(identity) << 32 | u64::from(counter);
    (u128::from(random) << 64 | u128::from(low)).to_be_bytes()
}

#[derive(Clone, Debug, Default)]
struct Line {
    granted: Owned,
    issued: Intervals,
}

#[derive(Clone, Debug, Default)]
pub struct Ledger {
    tags: Vec<Line>,
    /// Per namespace, from its first worker number on.
    workers: Vec<(u32, Vec<Line>)>,
    /// Whether the store lost grants and was not fenced: from now on it may grant the same again.
    muted: bool,
}

impl Ledger {
    /// A ledger of this number of tags, and of namespaces with these worker numbers.
    pub fn new(tags: usize, spaces: &[Range]) -> Ledger {
        let lines = |n: usize| vec![Line::default(); n];
        let workers = spaces.iter().map(|range| (range.start as u32, lines(range.len() as usize)));
        Ledger { tags: lines(tags), workers: workers.collect(), muted: false }
    }

    pub fn mute(&mut self) {
        self.muted = true;
    }

    fn line(&mut self, name: LineName) -> Option<&mut Line> {
        match name {
            LineName::Tag(tag) => self.tags.get_mut(tag),
            LineName::Worker(space, worker) => {
                let (first, lines) = self.workers.get_mut(space)?;
                lines.get_mut(worker.checked_sub(*first)? as usize)
            }
        }
    }

    /// Notes that the store granted `range` (numbers or ticks) to this request.
    pub fn grant(&mut self, name: LineName, range: Range, to: Token) -> Verdict {
        if self.muted {
            return Ok(());
        }
        let Some(line) = self.line(name) else {
            fail!(Overlap, "{name:?} is no line that may be granted");
        };
        line.granted.claim((range.start, range.end), owner(to)).or_else(|(part, other)| {
            let (before, now) = (who(other), who(owner(to)));
            fail!(Overlap, "{name:?}: {part:?} was granted to {before} and now to {now}")
        })
    }

    /// Notes that this request's lease gave back everything from `from` on.
    pub fn give_back(&mut self, name: LineName, from: u64, by: Token) {
        if let Some(line) = self.line(name) {
            line.granted.give_back(from, owner(by));
        }
    }

    /// Notes that a holder handed out these positions.
    pub fn issue(
        &mut self,
        name: LineName,
        positions: Range,
        sequence_bits: u32,
        by: u32,
    ) -> Verdict {
        if self.muted {
            return Ok(());
        }
        let Some(line) = self.line(name) else {
            fail!(Outside, "{name:?} is no line of the store: holder {by}");
        };
        let twice = line.issued.add(positions.start, positions.end);
        if twice > 0 {
            fail!(Duplicate, "{name:?}: {twice} of {positions:?}, the second time by holder {by}");
        }
        let last = positions.end.saturating_sub(1) >> sequence_bits;
        let granted = (positions.start >> sequence_bits, last.saturating_add(1));
        let is_theirs = |owner: u64| (owner >> 32) as u32 == by;
        if let Some((at, other)) = line.granted.first_foreign(granted, is_theirs) {
            let whose = other.map_or("nobody's".to_owned(), who);
            fail!(Outside, "{name:?}: holder {by} used {at}, which is {whose}");
        }
        Ok(())
    }
}

/// The owner of a number that is given away by hand.
pub const BY_HAND: u32 = u32::MAX;

fn who(owner: u64) -> String {
    format!("holder {} (request {})", owner >> 32, owner as u32)
}
