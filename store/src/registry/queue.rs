//! The queue of waiting requests. Acquires have a line of their own, and both lines are served alternately,
//! so that the start of many holders does not delay segments. Within a line tags and namespaces take turns.

use std::collections::{BTreeMap, VecDeque};

use leafid_core::Code;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::job::{Job, Kind};
use crate::meter::Turns;
use crate::problem::Problem;
use leafid_turn::groups::Scope;

/// The most requests in a line, and as many again on their way to it; one more is `OVERLOADED`.
const WAITING: usize = 8_192;
/// The most of them for one tag or namespace, to leave room for the others.
const ALIKE: usize = WAITING / 2;

pub type Sender = mpsc::Sender<Job>;

pub struct Queue {
    arriving: mpsc::Receiver<Job>,
    again: VecDeque<Job>,
    acquires: Line,
    others: Line,
    acquires_next: bool,
}

/// A line, with a lane for each tag and namespace; the lanes take turns.
#[derive(Default)]
struct Line {
    lanes: BTreeMap<Scope, VecDeque<Job>>,
    /// The order of the lanes, each once. No lane is empty.
    turns: VecDeque<Scope>,
    len: usize,
}

impl Queue {
    pub fn new() -> (Sender, Queue) {
        let (sender, arriving) = mpsc::channel(WAITING);
        let (again, acquires, others) = Default::default();
        (sender, Queue { arriving, again, acquires, others, acquires_next: false })
    }

    /// Waits until there is a request, or for so long; `false` if no sender is left.
    pub async fn wait(&mut self, until: Option<Instant>) -> bool {
        if self.acquires.len + self.others.len > 0 {
            return true;
        }
        let due = self.again.iter().map(|job| job.due).chain(until).min();
        let first = match due {
            None => self.arriving.recv().await,
            Some(due) => match timeout_at(due, self.arriving.recv()).await {
                Ok(None) if !self.again.is_empty() => {
                    sleep_until(due).await;
                    return true;
                }
                Ok(first) => first,
                Err(_) => return true,
            },
        };
        let Some(first) = first else { return false };
        self.line_up(first);
        true
    }

    pub fn is_waiting(&mut self) -> bool {
        self.gather();
        self.acquires.len + self.others.len > 0
    }

    pub fn again(&mut self, job: Job) {
        self.again.push_back(job);
    }

    pub fn tell(&self, meter: &Turns) {
        meter.acquires.set(self.acquires.len as u64);
        meter.others.set(self.others.len as u64);
        meter.again.set(self.again.len() as u64);
    }

    pub fn len(&self) -> usize {
        self.again.len() + self.acquires.len + self.others.len
    }

    pub fn drain(&mut self) -> Vec<Job> {
        self.gather();
        let mut all: Vec<Job> = self.again.drain(..).collect();
        all.extend(std::iter::from_fn(|| self.acquires.pop()));
        all.extend(std::iter::from_fn(|| self.others.pop()));
        all
    }

    /// Lines up the requests that have arrived; refuses those for a full line.
    pub fn gather(&mut self) {
        while let Ok(job) = self.arriving.try_recv() {
            self.line_up(job);
        }
    }

    /// Takes the next request: a due retry first, else from both lines alternately.
    pub fn pop(&mut self) -> Option<Job> {
        if !self.again.is_empty() {
            let now = Instant::now();
            if let Some(at) = self.again.iter().position(|job| job.due <= now) {
                return self.again.remove(at);
            }
        }
        let (first, second) = match self.acquires_next {
            true => (&mut self.acquires, &mut self.others),
            false => (&mut self.others, &mut self.acquires),
        };
        self.acquires_next = !self.acquires_next;
        first.pop().or_else(|| second.pop())
    }

    fn line_up(&mut self, job: Job) {
        match job.kind {
            Kind::Acquire => self.acquires.push(job),
            Kind::Take | Kind::Change => self.others.push(job),
        }
    }
}

impl Line {
    fn push(&mut self, job: Job) {
        let about = match job.scope {
            Scope::Worker(namespace, _) => Scope::Namespace(namespace),
            scope => scope,
        };
        let alike = self.lanes.get(&about).map_or(0, VecDeque::len);
        if self.len >= WAITING {
            return job.answer(Err(full()));
        }
        // Requests without a tag or namespace have no such limit.
        if about != Scope::Nothing && alike >= ALIKE {
            return job.answer(Err(too_many_alike()));
        }
        if alike == 0 {
            self.turns.push_back(about);
        }
        self.lanes.entry(about).or_default().push_back(job);
        self.len += 1;
    }

    fn pop(&mut self) -> Option<Job> {
        let about = self.turns.pop_front()?;
        let lane = self.lanes.get_mut(&about)?;
        let first = lane.pop_front()?;
        if lane.is_empty() {
            self.lanes.remove(&about);
        } else {
            self.turns.push_back(about);
        }
        self.len -= 1;
        Some(first)
    }
}

fn too_many_alike() -> Problem {
    let detail = format!(
        "{ALIKE} requests wait for this tag or namespace already; ask again later, and give it a larger \
         step or longer windows, so that it is asked for less often"
    );
    Problem::new(Code::Overloaded, detail)
}

pub fn full() -> Problem {
    let detail = format!("{WAITING} requests wait for the store already; ask again later");
    Problem::new(Code::Overloaded, detail)
}

#[cfg(test)]
mod tests {
    use leafid_core::{HostTime, Name};

    use super::*;

    #[tokio::test]
    async fn a_flood_for_one_tag_leaves_room_and_turns_for_another() {
        let (sender, mut queue) = Queue::new();
        let scope = |tag| Scope::Tag(Name::tag(tag).unwrap());
        let ask = |scope| {
            let (job, answer) = Job::new(Kind::Take, scope, HostTime::new(0), |_| Ok(()));
            sender.try_send(job).unwrap();
            answer
        };
        let mut flood: Vec<_> = (0..=ALIKE).map(|_| ask(scope("flood"))).collect();
        queue.gather();
        let refused = flood.pop().unwrap().await.unwrap().unwrap_err();
        assert_eq!(refused.code, Code::Overloaded, "{refused}");
        assert!(flood.iter_mut().all(|answer| answer.try_recv().is_err()), "the others wait");
        let _others = ["quiet", "third", "quiet"].map(|tag| ask(scope(tag)));
        queue.gather();
        assert_eq!(queue.len(), ALIKE + 3);
        let mut turns = |n| {
            let next = std::iter::from_fn(|| queue.pop()).take(n);
            next.map(|job| job.scope).collect::<Vec<_>>()
        };
        assert_eq!(turns(3), ["flood", "quiet", "third"].map(scope));
        // A lane that was empty goes to the end.
        assert_eq!(turns(3), ["flood", "quiet", "flood"].map(scope));
        let _late = ask(scope("third"));
        queue.gather();
        assert_eq!(queue.pop().map(|job| job.scope), Some(scope("flood")));
        assert_eq!(queue.pop().map(|job| job.scope), Some(scope("third")));
        assert_eq!((queue.drain().len(), queue.len()), (ALIKE - 4, 0));
        assert!(queue.others.lanes.is_empty() && queue.pop().is_none());
    }
}
