//! Faults other than the wire's: of hosts, of servers, and of the clocks of both.

use crate::generator::Config;
use crate::holder::State;
use crate::plan::Theme;
use crate::verdict::Verdict;
use crate::wire::Event;
use crate::world::{Server, World};

impl World {
    /// Makes one fault happen, and schedules the next.
    pub(crate) fn chaos(&mut self) -> Verdict {
        self.put_within(1, 2 * self.plan.chaos_every, Event::Chaos);
        let running: Vec<usize> =
            (0..self.holders.len()).filter(|i| self.holders[*i].state == State::Running).collect();
        if running.is_empty() {
            return Ok(());
        }
        let i = self.rng.pick(&running);
        self.look(i, false);
        // Long-lived holders are seldom killed.
        let lives_long = self.plan.theme == Theme::Calm && self.rng.chance(930);
        match if lives_long { 60 + self.rng.below(40) } else { self.rng.below(100) } {
            0..=15 => self.crash(i),
            16..=31 => return self.close(i),
            32..=47 => self.fork(i),
            48..=53 => self.forget(i, false),
            54..=59 if !self.is_shared(i) => self.forget(i, true),
            60 | 61 => self.disk_fault(),
            62..=68 => self.pause(i),
            69..=81 => self.clock_fault(i),
            82..=88 => self.server_down(),
            89..=91 => self.source_astray(),
            92 | 93 => self.revoke(),
            94 => return self.move_tag(),
            95 => self.delete_tag(),
            96 | 97 => return self.move_workers(),
            98 => self.copy_state(),
            _ => self.believed_step(),
        }
        Ok(())
    }

    fn clock_fault(&mut self, i: usize) {
        let kind = self.rng.below(4);
        let steps = |i: &usize| {
            let holder = &self.holders[*i];
            holder.state == State::Running && !holder.clock.monotonic
        };
        let settable: Vec<usize> = (0..self.holders.len()).filter(steps).collect();
        let i = if kind < 2 || settable.is_empty() { i } else { self.rng.pick(&settable) };
        let least = if kind == 3 { 1_000 } else { 1 };
        let by = self.rng.magnitude(least, 4_000_000) as i64;
        let ppm = self.rng.between(-200, 200);
        let freeze = self.rng.magnitude(10, 100_000) as i64;
        let holder = &mut self.holders[i];
        let life = holder.life;
        let left = holder.thrift.window_left(holder.clock.read(self.t));
        let longest = match holder.make.config {
            Config::Space(_) => i64::from(self.stores[0].spaces[holder.make.place].longest_ms),
            Config::Tag(_) => 0,
        };
        holder.thrift.disturbed();
        self.trace.note(self.t, || format!("holder {i}: clock fault {kind} by {by}"));
        match kind {
            0 => holder.clock.drift(self.t, ppm),
            1 => {
                holder.clock.freeze(self.t);
                self.queue.put(self.t + freeze, Event::Thaw(i, life));
            }
            2 if !holder.clock.monotonic => holder.clock.step(self.t, -by),
            3 if holder.clock.has_second() => holder.clock.step(self.t, by),
            3 if !holder.clock.monotonic => {
                holder.clock.step(self.t, by);
                // Inside its window a holder's time does not go back: it waits for the store's.
                let waits = left.map_or(longest, |left| left.clamp(0, longest));
                let excused = self.t + by.min(waits) + 10_000;
                holder.excused_until = holder.excused_until.max(excused);
                let ahead = self.t + by.min(longest) + 10_000;
                holder.ahead_until = holder.ahead_until.max(ahead);
            }
            _ => holder.clock.drift(self.t, ppm),
        }
    }

    fn server_down(&mut self) {
        let all = self.rng.chance(250);
        let server = self.rng.below(self.servers.len() as u64) as usize;
        let length = self.rng.magnitude(100, 90_000) as i64;
        for (number, server) in
            self.servers.iter_mut().enumerate().filter(|(number, _)| all || *number == server)
        {
            if server.up && !server.astray {
                server.up = false;
                server.epoch += 1;
                self.tally.server_outages += 1;
                self.queue.put(self.t + length, Event::ServerUp(number));
            }
        }
        if self.servers.iter().filter(|server| server.store == 0).all(|server| !server.up) {
            self.trouble_until = self.trouble_until.max(self.t + length);
        }
    }

    /// Restarts a server; all that it knows is in its store.
    pub(crate) fn server_up(&mut self, server: usize) {
        let server = &mut self.servers[server];
        server.up = true;
        let before = server.clock.peek(self.t);
        server.clock.restart(self.t, self.stores[server.store].anchor);
        self.believed_ms += (server.clock.peek(self.t) - before).max(0);
    }

    /// Sets a server's clock source wrong by an hour or so, and corrects it before the registry
    /// would trust it.
    fn source_astray(&mut self) {
        let number = self.rng.below(self.servers.len() as u64) as usize;
        let by = self.rng.magnitude(100_000, 4_000_000) as i64;
        let by = if self.rng.chance(500) { -by } else { by };
        let disbelief = self.plan.longest_window_ms() as u64 * 9 / 10;
        let length = self.rng.magnitude(100, disbelief.clamp(100, 300_000)) as i64;
        let Server { up, astray, .. } = self.servers[number];
        if up && !astray {
            self.set_source(number, by, true);
            self.tally.server_clock_faults += 1;
            self.queue.put(self.t + length, Event::SourceBack(number, -by));
        }
    }

    /// Sets a server's clock source, right or wrong; the step shows between two readings.
    pub(crate) fn set_source(&mut self, server: usize, by: i64, astray: bool) {
        let server = &mut self.servers[server];
        server.clock.read(self.t);
        server.clock.step(by);
        server.astray = astray;
    }

    /// Sets a clock source forward by so little that the registry trusts it.
    fn believed_step(&mut self) {
        let number = self.rng.below(self.servers.len() as u64) as usize;
        let by = self.rng.magnitude(10, 2_000) as i64;
        self.servers[number].clock.step(by);
        self.believed_ms += by;
        self.tally.server_clock_faults += 1;
    }
}
