//! A world: holders, stores, faults, and the loop that lets things happen in order.

use leafid_core::{Code, Range, Refusal, StoreTime, Token};

use crate::clocks::StoreClock;
use crate::database::{Database, Space, StoreBug};
use crate::draw::{self, Scene, Way};
use crate::generator::Config;
use crate::holder::{Holder, State};
use crate::ledger::Ledger;
use crate::plan::Plan;
use crate::rng::Rng;
use crate::sloppy::Sloppy;
use crate::tally::Tally;
use crate::trace::Trace;
use crate::verdict::{Check, Verdict, wrong};
use crate::wire::{Event, Queue};

/// How a world is run.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Whether the protocol's rules are checked as well, or only what a user would suffer from.
    pub rules: bool,
    /// A mistake of the hosts or the store.
    pub mistake: Option<Mistake>,
    /// Whether what happens is kept to be shown.
    pub trace: bool,
}

/// Mistakes outside the core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// Of the store.
    Store(StoreBug),
    /// A child that does not forget.
    NoForget,
}

/// A server of a store.
pub struct Server {
    /// Which store.
    pub store: usize,
    /// Its time.
    pub clock: StoreClock,
    /// Whether it answers.
    pub up: bool,
    /// Rises with each outage.
    pub epoch: u64,
    /// Whether its source is wrong by much.
    pub astray: bool,
}

/// A world.
pub struct World {
    pub(crate) t: i64,
    pub(crate) rng: Rng,
    pub(crate) plan: Plan,
    pub(crate) settings: Settings,
    pub(crate) stores: Vec<Database>,
    pub(crate) servers: Vec<Server>,
    pub(crate) holders: Vec<Holder>,
    pub(crate) sloppy: Vec<Sloppy>,
    pub(crate) queue: Queue,
    pub(crate) tally: Tally,
    pub(crate) trace: Trace,
    pub(crate) furthest: i64,
    /// How far believed steps of sources may have moved the slowest server at once.
    pub(crate) believed_ms: i64,
    /// Nobody could reach the store until then.
    pub(crate) trouble_until: i64,
    identities: u32,
    lives: u64,
    buffer: Vec<u64>,
}

impl World {
    /// The world of a seed.
    pub fn new(seed: u64, settings: Settings) -> World {
        let mut rng = Rng::new(seed);
        let plan = Plan::draw(&mut rng);
        let stores: Vec<_> =
            (0..=usize::from(plan.alien)).map(|_| database(&plan, &mut rng, settings)).collect();
        let servers = (0..plan.servers).map(|_| 0).chain(plan.alien.then_some(1));
        let servers = servers
            .map(|store| {
                let (skew, ppm) = (rng.between(-3_000, 3_000), rng.between(-100, 100));
                let clock = StoreClock::new(plan.start, skew, ppm, StoreTime::new(0));
                Server { store, clock, up: true, epoch: 0, astray: false }
            })
            .collect();
        let mut world = World {
            t: plan.start,
            settings,
            stores,
            servers,
            holders: Vec::new(),
            sloppy: (0..plan.sloppy).map(|_| Sloppy::default()).collect(),
            queue: Queue::default(),
            tally: Tally { worlds: 1, ..Tally::default() },
            trace: Trace::new(settings.trace),
            furthest: i64::MIN,
            believed_ms: 0,
            trouble_until: 0,
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
            self.new_holder(delay);
        }
        for i in 0..self.sloppy.len() {
            self.queue.put(self.t + 1_000, Event::Sloppy(i));
        }
        self.queue.put(self.t + self.plan.chaos_every as i64, Event::Chaos);
    }

    /// Runs it to its end.
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
        self.holders.iter().filter(|holder| holder.hears()).try_for_each(draw::check_counters)
    }

    /// What happened.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// What happened last.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    fn happen(&mut self, event: Event) -> Verdict {
        match event {
            Event::Ids(i, life) if self.holders[i].life == life => self.draw(i),
            Event::Poll(i, life) if self.holders[i].life == life => self.poll(i),
            Event::Resume(i, life) if self.holders[i].life == life => self.resume(i),
            Event::Thaw(i, life, catches_up) if self.holders[i].life == life => {
                self.holders[i].clock.thaw(self.t, catches_up);
                Ok(())
            }
            Event::Start(i, life) if self.holders[i].life == life => {
                self.restart(i);
                Ok(())
            }
            Event::Ids(..)
            | Event::Poll(..)
            | Event::Resume(..)
            | Event::Thaw(..)
            | Event::Start(..) => Ok(()),
            Event::Arrive(server, letter) => self.arrive(server, *letter),
            Event::Write(server, epoch, pending) => self.write(server, epoch, *pending),
            Event::Answer(reply) => self.hear(*reply),
            Event::GiveUp(i, life, call) => {
                self.give_up(i, life, call);
                Ok(())
            }
            Event::ServerUp(server) => {
                self.server_up(server);
                Ok(())
            }
            Event::SourceBack(server, by) => {
                self.source_back(server, by);
                Ok(())
            }
            Event::Recreate(tag) => self.recreate(tag),
            Event::Sloppy(i) => self.sloppy_verb(i),
            Event::Chaos => self.chaos(),
        }
    }

    /// A name for somebody who never was.
    pub(crate) fn identity(&mut self) -> u32 {
        self.identities += 1;
        self.identities
    }

    /// A number for a life that begins.
    pub(crate) fn life(&mut self) -> u64 {
        self.lives += 1;
        self.lives
    }

    /// What the slowest and the furthest of the servers show; the furthest as it ever was.
    pub(crate) fn store_times(&mut self) -> (i64, i64) {
        let shown = |server: &Server| server.clock.peek(self.t);
        let slowest = self.servers.iter().map(shown).min().unwrap_or(self.t);
        let furthest = self.servers.iter().map(shown).max().unwrap_or(self.t);
        self.furthest = self.furthest.max(furthest);
        (slowest - self.believed_ms, self.furthest)
    }

    fn draw(&mut self, i: usize) -> Verdict {
        if self.holders[i].state != State::Running {
            return Ok(());
        }
        let pace = self.holders[i].make.pace;
        let way = self.rng.pick(&[Way::Next, Way::Fill, Way::Fill, Way::Take]);
        let count = self.rng.magnitude(pace.count.0, pace.count.1) as usize;
        let mut refused = None;
        for _ in 0..pace.repeat {
            match self.draw_once(i, count, way)? {
                Ok(_) => self.holders[i].starved_since = None,
                Err(refusal) => {
                    refused = Some(refusal);
                    break;
                }
            }
        }
        // More than a tag gives at once was wanted: not a thing to wait for.
        if let Some(refusal) = refused.filter(|refusal| refusal.code != Code::CountInvalid) {
            self.starving(i, refusal)?;
        }
        if self.rng.chance(10) {
            let holder = &mut self.holders[i];
            holder.image = holder.generator.image().map(|image| (image, holder.book));
        }
        self.poll(i)?;
        let every = if refused.is_some() { (5, 300) } else { pace.every };
        let next = self.t + self.rng.magnitude(every.0, every.1) as i64;
        self.queue.put(next, Event::Ids(i, self.holders[i].life));
        Ok(())
    }

    pub(crate) fn draw_once(&mut self, i: usize, count: usize, way: Way) -> Verdict<draw::Drawn> {
        let store_times = self.store_times();
        let mut scene = Scene {
            t: self.t,
            store_times,
            rules: self.settings.rules,
            stores: &mut self.stores,
            tally: &mut self.tally,
            buffer: &mut self.buffer,
        };
        let drawn = draw::draw(&mut self.holders[i], &mut scene, count, way, &mut self.rng);
        self.trace.note(self.t, || format!("holder {i} draws {count} {way:?}: {drawn:?}"));
        drawn
    }

    /// A holder that gets nothing must be excused by something, or get some soon.
    fn starving(&mut self, i: usize, refusal: Refusal) -> Verdict {
        let t = self.t;
        let since = *self.holders[i].starved_since.get_or_insert(t);
        if since == t || t - since < 3_000 {
            return Ok(());
        }
        if self.is_excused(i) {
            self.holders[i].starved_since = Some(t);
            return Ok(());
        }
        if t - since > self.plan.rates.dead_after_ms() {
            let holder = &self.holders[i];
            let detail = format!(
                "holder {} of {:?}: {} for {} ms, asking fails with {:?}, {:?}, clock {:?}",
                holder.identity,
                holder.make,
                refusal.code,
                t - since,
                holder.generator.failure(),
                holder.generator.stats(),
                holder.clock,
            );
            return wrong(Check::Dead, detail);
        }
        Ok(())
    }

    fn is_excused(&mut self, i: usize) -> bool {
        let (slowest, furthest) = self.store_times();
        let holder = &self.holders[i];
        let store = &self.stores[holder.book.store.unwrap_or(0)];
        let stopped = holder.generator.failure().is_some_and(Code::stops);
        let told = holder.told_until > holder.clock.read(self.t).get();
        let waits = holder.excused_until > self.t || told;
        let alone = self.trouble_until + 20_000 > self.t || waits;
        if stopped || alone || holder.clock.is_frozen() {
            return true;
        }
        match holder.make.config {
            Config::Tag(_) => {
                let row = &store.tags[holder.make.place];
                row.deleted || row.remaining() == 0
            }
            Config::Space(config) => {
                let space = &store.spaces[holder.make.place];
                let layout = &space.namespace.layout;
                let ends = [slowest - 10_000, furthest + 10_000];
                let fits = ends.iter().all(|at| layout.tick(StoreTime::new(*at)).is_ok());
                let now = StoreTime::new(slowest);
                !fits || !space.has_free(&config.owner, config.strict, now)
            }
        }
    }
}

fn database(plan: &Plan, rng: &mut Rng, settings: Settings) -> Database {
    let ranges: Vec<Range> = plan.spaces.iter().map(|space| space.workers).collect();
    let space = |namespace: &leafid_core::registry::Namespace| Space {
        namespace: *namespace,
        rows: vec![Default::default(); namespace.workers.len() as usize],
    };
    let bug = match settings.mistake {
        Some(Mistake::Store(bug)) => Some(bug),
        _ => None,
    };
    let words = u128::from(rng.word()) << 64 | u128::from(rng.word());
    Database {
        id: Token::new(words.to_be_bytes()),
        tags: plan.tags.clone(),
        spaces: plan.spaces.iter().map(space).collect(),
        ledger: Ledger::new(plan.tags.len(), &ranges),
        anchor: StoreTime::new(0),
        bug,
        rules: settings.rules,
    }
}
