//! Calls, answers and other events on their way, and when each is due.

use std::collections::BTreeMap;

use leafid_core::{Ask, Failure, Grant, HostTime, Range, Release, Token};

use crate::windows::Decision;

#[derive(Clone, Debug)]
pub enum Body {
    Ask(Ask),
    Release(Release),
    /// The rest of a segment of this tag and request, which no holder may send.
    Return(usize, Range, Token),
}

#[derive(Clone, Debug)]
pub struct Letter {
    pub from: usize,
    pub life: u64,
    /// The number of the holder's call; 0 for one without an answer.
    pub call: u64,
    pub sent: HostTime,
    /// True time when it was sent.
    pub sent_at: i64,
    /// The highest end of the numbers that the holder has or had.
    pub have_until: Option<u64>,
    pub body: Body,
}

#[derive(Clone, Debug)]
pub struct Reply {
    pub to: usize,
    pub life: u64,
    pub call: u64,
    pub request: Token,
    pub sent: HostTime,
    /// True time when the call was sent.
    pub sent_at: i64,
    pub renewal: bool,
    /// Whether it was garbled on the way.
    pub garbled: bool,
    pub store: usize,
    pub answer: Result<Grant, Failure>,
}

#[derive(Clone, Debug)]
pub enum Event {
    Draw(usize, u64),
    /// A holder's timer: it may be time to ask.
    Poll(usize, u64),
    /// A write of a holder's state file has ended.
    Synced(usize, u64),
    Die(usize, u64),
    Arrive(usize, Box<Letter>),
    /// A server, if still in this epoch, writes its decision.
    Write(usize, u64, Box<(Letter, Decision)>),
    Answer(Box<Reply>),
    GiveUp(usize, u64, u64),
    Resume(usize, u64),
    /// A stopped clock goes on.
    Thaw(usize, u64),
    Start(usize, u64),
    ServerUp(usize),
    /// A server's clock source is corrected by this.
    SourceBack(usize, i64),
    Recreate(usize),
    /// An operator of a store settles a tag that a holder's proof stopped.
    Settle(usize, usize),
    Sloppy(usize),
    Close(usize, u64),
    Copy,
    Lose,
    Chaos,
}

impl Event {
    /// The holder and life that the event is for; another life ignores it.
    pub fn holder(&self) -> Option<(usize, u64)> {
        match *self {
            Event::Draw(i, life)
            | Event::Poll(i, life)
            | Event::Synced(i, life)
            | Event::Die(i, life)
            | Event::Resume(i, life)
            | Event::Thaw(i, life)
            | Event::Start(i, life)
            | Event::Close(i, life) => Some((i, life)),
            _ => None,
        }
    }
}

/// Events in order of time; those of the same time in the order of insertion.
#[derive(Default)]
pub struct Queue {
    events: BTreeMap<(i64, u64), Event>,
    order: u64,
}

impl Queue {
    pub fn put(&mut self, at: i64, event: Event) {
        self.order += 1;
        self.events.insert((at, self.order), event);
    }

    pub fn take(&mut self) -> Option<(i64, Event)> {
        self.events.pop_first().map(|((at, _), event)| (at, event))
    }
}
