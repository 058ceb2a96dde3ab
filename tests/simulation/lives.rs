//! The lives of holders: they begin, fork, forget, close, die and restart.

use leafid_core::bugs::{self, Bug};
use leafid_core::{Carryover, Range};

use crate::generator::{Config, Generator};
use crate::habits;
use crate::holder::{Book, Holder, Make, State};
use crate::host_clock::{HostClock, Trust};
use crate::ledger::request;
use crate::plan::Theme;
use crate::verdict::{Verdict, fail};
use crate::wire::{Body, Event};
use crate::world::World;

/// The age from which a life counts as long, in ms.
const OLD_MS: i64 = 3_600_000;

/// The most holders: further forks take the place of ended ones.
const MOST_HOLDERS: usize = 40;

impl World {
    fn fresh(&mut self, make: Option<Make>) -> Option<Holder> {
        let (identity, life) = (self.identity(), self.life());
        // Few labels, so that owners come back.
        let label = self.rng.below(30);
        let make = match make {
            Some(make) => make,
            None => {
                let mut make = habits::make(&self.plan, &mut self.rng, label)?;
                self.give_disk(&mut make);
                make
            }
        };
        let shown = self.rng.pick(&[0, self.t, -5_000, i64::from(u32::MAX)]);
        let ppm = self.rng.between(-200, 200);
        let mut clock = HostClock::new(self.t, shown, ppm, make.monotonic);
        if make.has_second && !make.monotonic {
            clock = clock.beside(self.rng.between(-200, 200));
        }
        let mut holder = Holder::start((identity, life, self.t), make, clock, &mut self.rng)?;
        self.open_state(&mut holder);
        Some(holder)
    }

    pub(crate) fn restart(&mut self, i: usize) {
        self.let_go(i);
        let make = self.rng.chance(800).then_some(self.holders[i].make);
        if let Some(holder) = self.fresh(make) {
            self.trace.note(self.t, || format!("holder {i} starts as {}", holder.identity));
            let life = holder.life;
            self.holders[i] = holder;
            self.queue.put(self.t + 1, Event::Draw(i, life));
        }
    }

    /// Adds a holder, of this make or any, that starts drawing in `delay` ms.
    pub(crate) fn start_as(&mut self, make: Option<Make>, delay: i64) {
        let Some(holder) = self.fresh(make) else { return };
        if let Some(i) = self.put(holder) {
            self.queue.put(self.t + delay, Event::Draw(i, self.holders[i].life));
        }
    }

    /// Puts a holder in a new place, or in that of an ended one.
    fn put(&mut self, holder: Holder) -> Option<usize> {
        let over = |holder: &Holder| matches!(holder.state, State::Crashed | State::Closed);
        if self.holders.len() < MOST_HOLDERS {
            self.holders.push(holder);
            return Some(self.holders.len() - 1);
        }
        let place = self.holders.iter().position(over)?;
        self.holders[place] = holder;
        Some(place)
    }

    fn start_later(&mut self, i: usize) {
        self.put_within(1, 60_000, Event::Start(i, self.holders[i].life));
    }

    pub(crate) fn crash(&mut self, i: usize) {
        self.note_life(i);
        self.trace.note(self.t, || format!("holder {i} dies"));
        self.holders[i].state = State::Crashed;
        self.let_go(i);
        self.start_later(i);
    }

    /// Notes the end of a holder's life, and whether it was long.
    pub(crate) fn note_life(&mut self, i: usize) {
        self.tally.long_lives += u64::from(self.t - self.holders[i].born > OLD_MS);
    }

    pub(crate) fn close(&mut self, i: usize) -> Verdict {
        let holder = &mut self.holders[i];
        let rest = Range::new(
            holder.book.last_range.0.max(holder.book.last_id.map_or(0, |last| last + 1)),
            holder.book.last_range.1,
        );
        let gives_up = holder.open.is_some() && self.rng.chance(300);
        let release = match gives_up {
            true => holder.generator.give_up(),
            false => holder.generator.retire(),
        };
        holder.state = State::Closed;
        self.note_life(i);
        self.trace.note(self.t, || format!("holder {i} closes with {release:?}"));
        // A thread that was about to draw still has the line.
        let holder = &mut self.holders[i];
        if let Some(id) = holder.generator.draw_past(holder.clock.read(self.t)) {
            fail!(AfterRelease, "holder {}: {id} after {release:?}", holder.identity);
        }
        if let Some(release) = release {
            self.send(i, 0, Body::Release(release));
        } else if bugs::on(Bug::SegmentReturn) && self.holders[i].is_numbers() && !rest.is_empty() {
            let (place, by) = (self.holders[i].make.place, self.holders[i].identity);
            let body = Body::Return(place, rest, leafid_core::Token::new(request(by, 0, 0)));
            self.send(i, 0, body);
        }
        self.end_writes(i);
        self.start_later(i);
        Ok(())
    }

    pub(crate) fn fork(&mut self, i: usize) {
        let (child, life) = (self.identity(), self.life());
        let parent = &self.holders[i];
        let (make, book, clock) = (parent.make, parent.book, parent.clock);
        // Some children are told only the last ID. A snowflake gives a position only where its layout
        // is known, which a parent that forked before its own first window does not know.
        let told_all = book.last_id.is_none() || self.rng.chance(700);
        let layout = parent.generator.layout();
        let carryover = match book.last_id {
            Some(id) if !told_all && (parent.is_numbers() || layout.is_some()) => {
                Carryover::default().above(id, layout.as_ref()).expect("it was handed out")
            }
            _ => parent.generator.carryover(),
        };
        let image = parent.generator.image();
        let Some(mut holder) = Holder::start((child, life, self.t), make, clock, &mut self.rng)
        else {
            return;
        };
        match image {
            Some(image) => {
                (holder.generator, holder.book) = (image, book);
                if bugs::on(Bug::NoForget) {
                    holder.become_another(child);
                } else {
                    holder.forget_as(child);
                }
                let open = self.holders[i].open.filter(|open| !open.is_gone);
                let open = open.filter(|_| self.rng.chance(300));
                match open.and_then(|open| self.clone_state(open, life)) {
                    Some(open) => {
                        holder.make.disk = Some(open.disk);
                        holder.open = Some(open);
                    }
                    None => holder.generator.leave(),
                }
            }
            None => {
                // The inherited line is not used; a new generator goes on above it.
                holder.generator.resume(carryover).expect("it knows no store yet");
                let Book { last_id, .. } = book;
                // The parent had all that it handed out.
                let stood_at = Some(carryover.position).filter(|position| *position > 0);
                let have_until = carryover.have_until.max(stood_at);
                let have_until = have_until.filter(|_| holder.is_numbers());
                holder.book = Book { last_id, have_until, resumed: true, ..Book::default() };
                holder.clock.error_ms = i64::MAX;
            }
        }
        holder.excused_until = self.holders[i].excused_until;
        holder.ahead_until = self.holders[i].ahead_until;
        self.trace.note(self.t, || format!("holder {i} forks: {child}"));
        let Some(place) = self.put(holder) else { return };
        if self.holders[place].open.is_some() {
            self.void_state(place);
            self.put_within(1, 2_000, Event::Die(place, life));
        }
        self.queue.put(self.t + 1, Event::Draw(place, life));
    }

    /// Makes a process forget, or go on from an older image of its memory.
    pub(crate) fn forget(&mut self, i: usize, restored: bool) {
        let identity = self.identity();
        let holder = &mut self.holders[i];
        if let Some((generator, book, open)) = holder.image.take().filter(|_| restored) {
            self.tally.restores += 1;
            (holder.generator, holder.book) = (generator, book);
            // The image knows its file as of then, not later writes.
            if let (Some(now), Some(then)) = (&mut holder.open, open) {
                (now.file, now.writing) = (then.file, then.writing);
                now.abandoned = then.abandoned;
                self.queue.put(self.t + 1, Event::Synced(i, holder.life));
            }
        }
        holder.forget_as(identity);
        if restored {
            // The generator goes on with the image's knowledge of the time.
            holder.clock.disturbed(self.t, Trust::Lost);
        }
        let life = holder.life;
        self.trace.note(self.t, || format!("holder {i} forgets and is {identity}"));
        self.queue.put(self.t, Event::Poll(i, life));
    }

    pub(crate) fn pause(&mut self, i: usize) {
        let holder = &mut self.holders[i];
        let window = match holder.make.config {
            Config::Space(_) => i64::from(self.stores[0].spaces[holder.make.place].longest_ms),
            Config::Tag(_) => 60_000,
        };
        let longest = match self.plan.theme {
            Theme::Storm => (2 * window).clamp(20_000, 400_000),
            Theme::Calm => 2 * OLD_MS,
            Theme::Months => 100 * OLD_MS,
        };
        let length = self.rng.magnitude(500, longest as u64) as i64;
        self.tally.long_pauses += u64::from(length > window);
        holder.state = State::Paused(self.t + length);
        let suspended = self.rng.chance(400);
        holder.thrift.disturbed();
        if suspended {
            holder.clock.sleep(self.t);
        }
        holder.starved_since = None;
        let life = holder.life;
        if suspended {
            self.queue.put(self.t + length, Event::Thaw(i, life));
        }
        self.queue.put(self.t + length, Event::Resume(i, life));
    }

    pub(crate) fn resume(&mut self, i: usize) {
        let holder = &mut self.holders[i];
        if holder.state == State::Paused(self.t) {
            holder.state = State::Running;
            if self.rng.chance(500) {
                holder.generator.resumed();
                holder.thrift.disturbed();
            }
            self.queue.put(self.t, Event::Draw(i, holder.life));
        }
    }

    /// Whether a holder's generator is on a shared line, which has no image.
    pub(crate) fn is_shared(&self, i: usize) -> bool {
        matches!(
            self.holders[i].generator,
            Generator::SharedNumbers(..) | Generator::SharedTime(..)
        )
    }
}
