//! A world: holders, stores, faults, and the event loop.

use leafid_core::{Range, StoreTime, Token};

use crate::database::{Database, Space, Tag};
use crate::disk::Disk;
use crate::draw;
use crate::holder::{Holder, State};
use crate::ledger::Ledger;
use crate::plan::{Loss, Plan, SpacePlan, Theme};
use crate::restore::StoreCopy;
use crate::rng::Rng;
use crate::sloppy::Lease;
use crate::store_clock::StoreClock;
use crate::tally::Tally;
use crate::verdict::Verdict;
use crate::wire::{Event, Queue};

pub struct Server {
    pub store: usize,
    pub clock: StoreClock,
    pub up: bool,
    /// Rises with each outage.
    pub epoch: u64,
    pub astray: bool,
}

/// Prints events as they happen, if tracing is on.
pub(crate) struct Trace(bool);

impl Trace {
    pub fn note(&self, t: i64, line: impl FnOnce() -> String) {
        if self.0 {
            println!("  {t} {}", line());
        }
    }
}

pub struct World {
    pub(crate) t: i64,
    pub(crate) rng: Rng,
    pub(crate) plan: Plan,
    pub(crate) stores: Vec<Database>,
    pub(crate) servers: Vec<Server>,
    pub(crate) holders: Vec<Holder>,
    pub(crate) disks: Vec<Disk>,
    pub(crate) sloppy: Vec<Option<Lease>>,
    pub(crate) queue: Queue,
    pub(crate) tally: Tally,
    pub(crate) trace: Trace,
    pub(crate) furthest: i64,
    /// How far trusted steps of clock sources may have moved the slowest server at once.
    pub(crate) believed_ms: i64,
    /// The store could not be reached until then.
    pub(crate) trouble_until: i64,
    pub(crate) copy: Option<StoreCopy>,
    identities: u32,
    lives: u64,
    pub(crate) buffer: Vec<u64>,
}

impl World {
    /// The world of a seed; `trace` prints what happens in it.
    pub fn new(seed: u64, trace: bool) -> World {
        let mut rng = Rng::new(seed);
        let plan = Plan::draw(&mut rng, seed);
        let stores: Vec<_> =
            (0..=usize::from(plan.alien)).map(|_| database(&plan, &mut rng)).collect();
        let servers = (0..plan.servers).map(|_| 0).chain(plan.alien.then_some(1));
        let servers = servers
            .map(|store| {
                // A fence without journals needs clocks that differ by less than 5 s. Over months clocks
                // are corrected, so none drifts.
                let apart = if plan.loss == Loss::Repaired { 1_000 } else { 3_000 };
                let ppm = if plan.theme == Theme::Months { 0 } else { rng.between(-100, 100) };
                let off = (rng.between(-apart, apart), ppm);
                let longest = plan.longest_window_ms();
                let clock = StoreClock::new(plan.start, off, StoreTime::new(0), longest);
                Server { store, clock, up: true, epoch: 0, astray: false }
            })
            .collect();
        let mut world = World {
            t: plan.start,
            stores,
            servers,
            holders: Vec::new(),
            disks: Vec::new(),
            sloppy: vec![None; plan.sloppy],
            queue: Queue::default(),
            tally: Tally { worlds: 1, ..Tally::default() },
            trace: Trace(trace),
            furthest: i64::MIN,
            believed_ms: 0,
            trouble_until: 0,
            copy: None,
            identities: 0,
            lives: 0,
            buffer: vec![0; 16_384],
            plan,
            rng,
        };
        world.populate();
        world
    }

    fn populate(&mut self) {
        for _ in 0..self.plan.holders {
            let delay = self.rng.magnitude(1, 60_000) as i64;
            self.start_as(None, delay);
        }
        for i in 0..self.sloppy.len() {
            self.queue.put(self.t + 1_000, Event::Sloppy(i));
        }
        self.queue.put(self.t + self.plan.chaos_every as i64, Event::Chaos);
        let (third, most) = (self.plan.length / 3, self.plan.length);
        let at = match self.plan.loss {
            Loss::None => return,
            Loss::Unfenced => self.rng.between(third, most * 9 / 10),
            Loss::Fenced | Loss::Repaired => self.rng.between(60_000, third),
        };
        self.queue.put(self.t + at, Event::Lose);
        self.queue.put(self.t + 30_000, Event::Copy);
    }

    pub fn run(&mut self) -> Verdict {
        let end = self.plan.start + self.plan.length;
        while let Some((at, event)) = self.queue.take() {
            if at > end {
                break;
            }
            self.tally.simulated_ms += (at - self.t) as u64;
            self.t = at;
            self.happen(event)?;
        }
        for i in 0..self.holders.len() {
            if self.holders[i].state != State::Crashed && self.holders[i].state != State::Closed {
                self.note_life(i);
            }
        }
        self.holders.iter().filter(|holder| holder.hears()).try_for_each(draw::check_counters)
    }

    /// Has a holder compare its clocks, as before any action.
    pub(crate) fn look(&mut self, i: usize, is_told: bool) {
        let holder = &mut self.holders[i];
        if holder.state == State::Running && holder.look(self.t, is_told) {
            self.trace.note(self.t, || format!("holder {i}: its clocks parted"));
        }
    }

    fn happen(&mut self, event: Event) -> Verdict {
        match &event {
            Event::Draw(i, _)
            | Event::Poll(i, _)
            | Event::Close(i, _)
            | Event::Synced(i, _)
            | Event::GiveUp(i, ..) => self.look(*i, false),
            Event::Answer(reply) => self.look(reply.to, true),
            _ => {}
        }
        if event.holder().is_some_and(|(i, life)| self.holders[i].life != life) {
            return Ok(());
        }
        let runs = |i: usize| self.holders[i].state == State::Running;
        match event {
            Event::Draw(i, _) => return self.draw(i),
            Event::Poll(i, _) => return self.poll(i),
            Event::Close(i, _) if runs(i) => return self.close(i),
            Event::Die(i, _) if runs(i) => self.crash(i),
            Event::Close(..) | Event::Die(..) => {}
            Event::Synced(i, _) => return self.synced(i),
            Event::Resume(i, _) => self.resume(i),
            Event::Thaw(i, _) => self.holders[i].clock.thaw(self.t),
            Event::Start(i, _) => self.restart(i),
            Event::Arrive(server, letter) => return self.arrive(server, *letter),
            Event::Write(server, epoch, pending) => {
                let (letter, decision) = *pending;
                let Server { up, epoch: now, .. } = self.servers[server];
                if up && now == epoch {
                    return self.write(server, letter, decision);
                }
            }
            Event::Answer(reply) => return self.hear(*reply),
            Event::GiveUp(i, life, call) => self.give_up(i, life, call),
            Event::ServerUp(server) => self.server_up(server),
            Event::SourceBack(server, by) => self.set_source(server, by, false),
            Event::Recreate(tag) => return self.recreate(tag),
            Event::Settle(store, tag) => return self.settle_tag(store, tag),
            Event::Sloppy(i) => return self.sloppy_verb(i),
            Event::Copy => self.copy_store(),
            Event::Lose => self.lose(),
            Event::Chaos => return self.chaos(),
        }
        Ok(())
    }

    /// A new identity.
    pub(crate) fn identity(&mut self) -> u32 {
        self.identities += 1;
        self.identities
    }

    /// Schedules an event in `least` to `most` ms.
    pub(crate) fn put_within(&mut self, least: u64, most: u64, event: Event) {
        let delay = self.rng.magnitude(least, most) as i64;
        self.queue.put(self.t + delay, event);
    }

    /// The number of a new life.
    pub(crate) fn life(&mut self) -> u64 {
        self.lives += 1;
        self.lives
    }

    /// The times of the slowest and the furthest server; the furthest ever.
    pub(crate) fn store_times(&mut self) -> (i64, i64) {
        let shown = |server: &Server| server.clock.peek(self.t);
        let slowest = self.servers.iter().map(shown).min().unwrap_or(self.t);
        let furthest = self.servers.iter().map(shown).max().unwrap_or(self.t);
        self.furthest = self.furthest.max(furthest);
        (slowest - self.believed_ms, self.furthest)
    }
}

fn database(plan: &Plan, rng: &mut Rng) -> Database {
    let ranges: Vec<Range> = plan.spaces.iter().map(|space| space.territory).collect();
    let space = |plan: &SpacePlan| Space::new(plan.namespace, plan.territory);
    let words = u128::from(rng.word()) << 64 | u128::from(rng.word());
    Database {
        id: Token::new(words.to_be_bytes()),
        tags: plan.tags.iter().map(|(row, stingy)| Tag::new(*row, *stingy)).collect(),
        spaces: plan.spaces.iter().map(space).collect(),
        ledger: Ledger::new(plan.tags.len(), &ranges),
        anchor: StoreTime::new(0),
        writes: 0,
        went_back: false,
    }
}
