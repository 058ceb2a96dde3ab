//! What is on its way between holders and servers, and when it comes.

use std::collections::BTreeMap;

use leafid_core::{Ask, Failure, Grant, HostTime, Range, Release, Token};

use crate::windows::Decision;

#[derive(Clone, Debug)]
pub enum Body {
    Ask(Ask),
    Release(Release),
    /// The rest of a segment of this tag and request: what no holder may send.
    Return(usize, Range, Token),
}

#[derive(Clone, Debug)]
pub struct Letter {
    pub from: usize,
    pub life: u64,
    /// Which call of that holder; 0 for what needs no answer.
    pub call: u64,
    pub sent: HostTime,
    /// True time when it left.
    pub sent_at: i64,
    /// How far the numbers reach that the holder has or had.
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
    /// True time when the call left.
    pub sent_at: i64,
    pub renewal: bool,
    /// Whether it was made nonsense on the way.
    pub garbled: bool,
    pub store: usize,
    pub answer: Result<Grant, Failure>,
}

#[derive(Clone, Debug)]
pub enum Event {
    Draw(usize, u64),
    /// A holder's timer: it may be time to ask.
    Poll(usize, u64),
    /// A write of a holder's state file has come to its end.
    Synced(usize, u64),
    Die(usize, u64),
    Arrive(usize, Box<Letter>),
    /// A server, in this epoch of its life, writes what it decided.
    Write(usize, u64, Box<(Letter, Decision)>),
    Answer(Box<Reply>),
    GiveUp(usize, u64, u64),
    Resume(usize, u64),
    /// A clock that stood still goes on; whether it catches up.
    Thaw(usize, u64),
    Start(usize, u64),
    ServerUp(usize),
    /// A server's source is put right again, by so much.
    SourceBack(usize, i64),
    Recreate(usize),
    /// An operator of a store has looked at a tag that a holder has shown more of.
    Settle(usize, usize),
    Sloppy(usize),
    Close(usize, u64),
    Copy,
    Lose,
    Chaos,
}

impl Event {
    /// The holder that it is for, and in which life; it means nothing to another life.
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

/// What is to happen, in order; what happens at the same time in the order in which it was put.
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
