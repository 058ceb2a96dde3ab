//! What is on its way between holders and servers, and when it comes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use leafid_core::{Ask, Failure, Grant, HostTime, Range, Release, Token};

use crate::windows::Decision;

/// What a holder sends.
#[derive(Clone, Debug)]
pub enum Body {
    /// An ask.
    Ask(Ask),
    /// A release.
    Release(Release),
    /// The rest of a segment of this tag and request: what no holder may send.
    Return(usize, Range, Token),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Letter {
    /// Who.
    pub from: usize,
    /// In which life.
    pub life: u64,
    /// Which call of that holder; 0 for what needs no answer.
    pub call: u64,
    /// The host's clock when it left.
    pub sent: HostTime,
    /// True time when it left.
    pub sent_at: i64,
    /// How far the numbers reach that the holder has or had.
    pub have_until: Option<u64>,
    /// What it says.
    pub body: Body,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// To whom.
    pub to: usize,
    /// In which life.
    pub life: u64,
    /// To which call.
    pub call: u64,
    /// The request of that call.
    pub request: Token,
    /// The host's clock when the call left.
    pub sent: HostTime,
    /// True time when the call left.
    pub sent_at: i64,
    /// Whether it answers a renewal.
    pub renewal: bool,
    /// Whether it was made nonsense on the way.
    pub garbled: bool,
    /// The store, by number.
    pub store: usize,
    /// What it says.
    pub answer: Result<Grant, Failure>,
}

/// What happens.
#[derive(Clone, Debug)]
pub enum Event {
    /// A holder draws.
    Draw(usize, u64),
    /// A holder's timer: it may be time to ask.
    Poll(usize, u64),
    /// A write of a holder's state file has come to its end.
    Synced(usize, u64),
    /// A holder dies.
    Die(usize, u64),
    /// A call comes to a server.
    Arrive(usize, Box<Letter>),
    /// A server, in this epoch of its life, writes what it decided.
    Write(usize, u64, Box<(Letter, Decision)>),
    /// An answer comes to a holder.
    Answer(Box<Reply>),
    /// A holder no longer waits for a call.
    GiveUp(usize, u64, u64),
    /// A holder that was paused goes on.
    Resume(usize, u64),
    /// A clock that stood still goes on; whether it catches up.
    Thaw(usize, u64, bool),
    /// A holder starts, in the place of one that is over.
    Start(usize, u64),
    /// A server comes back.
    ServerUp(usize),
    /// A server's source is put right again, by so much.
    SourceBack(usize, i64),
    /// A tag is made anew.
    Recreate(usize),
    /// An operator of a store has looked at a tag that a holder has shown more of.
    Settle(usize, usize),
    /// A sloppy client does something.
    Sloppy(usize),
    /// A holder is closed.
    Close(usize, u64),
    /// Somebody makes a copy of the store.
    Copy,
    /// The store goes back to that copy.
    Lose,
    /// Something goes wrong.
    Chaos,
}

/// What is to happen, in order; what happens at the same time in the order in which it was put.
#[derive(Default)]
pub struct Queue {
    heap: BinaryHeap<Reverse<(i64, u64)>>,
    events: Vec<Option<Event>>,
    free: Vec<u64>,
    order: u64,
}

impl Queue {
    /// Puts an event at a time.
    pub fn put(&mut self, at: i64, event: Event) {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.events.push(None);
            self.events.len() as u64 - 1
        });
        self.events[slot as usize] = Some(event);
        self.order += 1;
        self.heap.push(Reverse((at, self.order << 24 | slot)));
    }

    /// The next event and its time.
    pub fn take(&mut self) -> Option<(i64, Event)> {
        let Reverse((at, key)) = self.heap.pop()?;
        let slot = key & 0xff_ffff;
        self.free.push(slot);
        self.events[slot as usize].take().map(|event| (at, event))
    }
}
