//! The callers of holders: what they ask for, how often, and how long they may wait before it counts
//! as a fault.

use leafid_core::{Code, Refusal, StoreTime};

use crate::database::Tag;
use crate::draw::{self, Scene, Way};
use crate::generator::Config;
use crate::holder::{State, Want};
use crate::plan::Theme;
use crate::verdict::{Verdict, fail};
use crate::wire::Event;
use crate::world::World;

/// The pause, in ms, before a caller that got nothing tries again.
const AGAIN_MS: (u64, u64) = (5, 300);

impl World {
    pub(crate) fn draw(&mut self, i: usize) -> Verdict {
        if self.holders[i].state != State::Running {
            return Ok(());
        }
        let pace = self.holders[i].make.pace;
        let want = match self.holders[i].want.take() {
            Some(want) => want,
            None => self.new_want(i),
        };
        let mut refused = None;
        for _ in 0..pace.repeat {
            match self.draw_once(i, want.count, want.way)? {
                Ok(_) => {
                    self.holders[i].starved_since = None;
                    self.holders[i].thrift.drew();
                }
                Err(refusal) => {
                    refused = Some(refusal);
                    break;
                }
            }
        }
        let had = refused.is_none() && want.waited && matches!(want.way, Way::Take);
        self.tally.waited_for_count += u64::from(had);
        let mut every = pace.every;
        if let Some(refusal) = refused {
            every = AGAIN_MS;
            let mut want = Want { waited: true, ..want };
            // The caller wanted more than one call can give, or than is left: waiting does not help.
            let never = refusal.code == Code::CountInvalid;
            let at_end = refusal.code == Code::TagSpent;
            let excused = if never { false } else { self.starving(i, refusal, want)? };
            want.tries -= u32::from(never || at_end);
            if matches!(want.way, Way::Take) && want.tries > 0 && !excused {
                self.holders[i].want = Some(want);
            }
            if never {
                self.holders[i].starved_since = None;
                every = pace.every;
            } else if excused {
                every = self.rest(pace.every);
            }
        }
        if self.rng.chance(10) {
            let holder = &mut self.holders[i];
            holder.image = holder.generator.image().map(|image| (image, holder.book, holder.open));
        }
        self.poll(i)?;
        if refused.is_none() && self.is_burnt(i) {
            self.crash(i);
            return Ok(());
        }
        let pause = self.rng.magnitude(every.0, every.1) as i64;
        self.note_disk(i, refused.map(|refusal| refusal.code), pause)?;
        self.queue.put(self.t + pause, Event::Draw(i, self.holders[i].life));
        Ok(())
    }

    fn is_burnt(&self, i: usize) -> bool {
        let holder = &self.holders[i];
        holder.make.fuse.is_some_and(|fuse| holder.draws > u64::from(fuse))
    }

    /// The pause, in ms, of a caller for whom there is nothing: long where lives are long.
    fn rest(&self, every: (u64, u64)) -> (u64, u64) {
        match self.plan.theme {
            Theme::Storm => AGAIN_MS,
            Theme::Calm => (1_000, 30_000),
            Theme::Months => (every.0.max(600_000), every.1.max(600_000)),
        }
    }

    fn new_want(&mut self, i: usize) -> Want {
        let holder = &self.holders[i];
        let way = self.rng.pick(&[Way::Next, Way::Fill, Way::Fill, Way::Take]);
        let (low, high) = holder.make.pace.count;
        let mut count = self.rng.magnitude(low, high) as usize;
        if matches!(way, Way::Take) && self.rng.chance(5) {
            // More than any lease can grant.
            count = self.rng.magnitude(1_000_000, 5_000_000_000) as usize;
        } else if matches!(way, Way::Take) && self.rng.chance(150) {
            // As much as one call can give, or a little more.
            let most = holder.generator.most().min(self.buffer.len() as u64) as usize;
            count = (most + self.rng.below(2) as usize * most / 4).max(1);
        }
        let tries = 1 + self.rng.below(5) as u32;
        Want { way, count, tries, waited: false }
    }

    pub(crate) fn draw_once(&mut self, i: usize, count: usize, way: Way) -> Verdict<draw::Drawn> {
        let store_times = self.store_times();
        let mut scene = Scene {
            t: self.t,
            store_times,
            stores: &mut self.stores,
            tally: &mut self.tally,
            buffer: &mut self.buffer,
        };
        let drawn = draw::draw(&mut self.holders[i], &mut scene, count, way, &mut self.rng);
        self.trace.note(self.t, || format!("holder {i} draws {count} {way:?}: {drawn:?}"));
        drawn
    }

    /// Checks that a holder that gets nothing has an excuse, or gets IDs soon. Gives whether it is excused.
    fn starving(&mut self, i: usize, refusal: Refusal, want: Want) -> Verdict<bool> {
        let t = self.t;
        let since = *self.holders[i].starved_since.get_or_insert(t);
        if since == t || t - since < 3_000 {
            return Ok(false);
        }
        if self.is_excused(i, want, refusal.code) {
            // A caller that rests meanwhile has not waited.
            self.holders[i].starved_since = (self.plan.theme == Theme::Storm).then_some(t);
            return Ok(true);
        }
        let tick = match self.holders[i].generator.layout() {
            Some(layout) => i64::from(layout.tick_ms()),
            None => 0,
        };
        if t - since > self.plan.rates.dead_after_ms() + 3 * tick {
            let holder = &self.holders[i];
            fail!(
                Dead,
                "holder {} of {:?}: {} for {} ms, {:?}, asking fails with {:?}, {:?}, \
                 clock {:?}",
                holder.identity,
                holder.make,
                refusal.code,
                t - since,
                want,
                holder.generator.failure(),
                holder.generator.stats(),
                holder.clock
            );
        }
        Ok(false)
    }

    fn is_excused(&mut self, i: usize, want: Want, code: Code) -> bool {
        let (slowest, furthest) = self.store_times();
        let holder = &self.holders[i];
        let store = &self.stores[holder.book.store.unwrap_or(0)];
        let stopped = holder.generator.failure().is_some_and(Code::stops);
        let too_slow = self.is_too_slow(i);
        let told = holder.told_until > holder.clock.read(self.t).get();
        let waits_for_time = matches!(code, Code::ClockBehind | Code::SequenceSpent);
        let ahead = waits_for_time && holder.ahead_until > self.t;
        let waits = holder.excused_until > self.t || ahead || told;
        let alone = self.trouble_until + 20_000 > self.t || waits;
        if stopped || alone || too_slow || holder.clock.frozen {
            return true;
        }
        match holder.make.config {
            Config::Tag(_) => {
                let Tag { row, stingy, .. } = &store.tags[holder.make.place];
                let stingy = *stingy && matches!(want.way, Way::Take);
                let left = row.remaining().saturating_add(holder.generator.stats().in_hand);
                let at_end = code == Code::TagSpent && want.count as u64 > left;
                row.deleted || row.is_stopped() || row.remaining() == 0 || at_end || stingy
            }
            Config::Space(config) => {
                let space = &store.spaces[holder.make.place];
                let layout = &space.namespace.layout;
                let near = 10_000 + 3 * i64::from(layout.tick_ms());
                let ends = [slowest - near, furthest + near];
                let fits = ends.iter().all(|at| layout.tick(StoreTime::new(*at)).is_ok());
                let now = StoreTime::new(slowest);
                !fits || !space.has_free(&config.owner, config.strict, now)
            }
        }
    }
}
