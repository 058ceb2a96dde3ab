//! Carries calls to servers, which decide them; some calls get lost, late or doubled.

use leafid_core::{Action, Ask, Code, Failure, Grant};

use crate::database::{Answered, Decided, number};
use crate::holder::{Holder, OpenCall, State};
use crate::verdict::{Verdict, fail};
use crate::windows::{Decision, Written};
use crate::wire::{Body, Event, Letter, Reply};
use crate::world::{Server, World};

/// How often a server decides again because another one wrote the row.
const ATTEMPTS: usize = 5;
/// How many of a thousand acquires of sticky owners come to two servers at once.
const RACES: u64 = 60;
/// How many of a thousand holders that got a number from each of two servers are closed within a minute,
/// so that one of the owner's two numbers becomes free.
const CLOSES_RACED: u64 = 500;
/// How many of a thousand holders that ask for a window are closed before they have it.
const CLOSES_ASKING: u64 = 8;

impl World {
    pub(crate) fn poll(&mut self, i: usize) -> Verdict {
        if self.holders[i].state != State::Running {
            return Ok(());
        }
        let mut asks = false;
        while let Some(action) = self.holders[i].action(self.t, &mut self.rng) {
            match action {
                Action::Write(write) => self.save(i, &write)?,
                Action::Ask(ask) => {
                    asks = true;
                    self.ask(i, ask)?;
                }
            }
        }
        let holder = &mut self.holders[i];
        if !asks {
            let now = holder.clock.read(self.t);
            holder.thrift.wants_nothing(now, holder.generator.stats().in_hand)?;
        }
        self.plan_poll(i);
        Ok(())
    }

    fn ask(&mut self, i: usize, ask: Ask) -> Verdict {
        let holder = &mut self.holders[i];
        let have_until = holder.book.have_until;
        if matches!(&ask, Ask::Segment(ask) if ask.have_until != have_until) {
            fail!(HaveUntil, "holder {} has {have_until:?}: {ask:?}", holder.identity);
        }
        let (now, stock) = (holder.clock.read(self.t), holder.stock());
        holder.thrift.asks(&ask, stock, now)?;
        holder.calls += 1;
        let (number, life, gives_up) = (holder.calls, holder.life, holder.make.gives_up);
        holder.call = Some(OpenCall { request: ask.request(), number, sent: now });
        self.trace.note(self.t, || format!("holder {i} sends {ask:?}"));
        if let Some(after) = gives_up {
            self.queue.put(self.t + after as i64, Event::GiveUp(i, life, number));
        }
        self.send(i, number, Body::Ask(ask));
        if matches!(ask, Ask::Acquire(_)) && self.rng.chance(CLOSES_ASKING) {
            self.put_within(1, 200, Event::Close(i, life));
        }
        Ok(())
    }

    /// Schedules the next poll of a host with timers.
    fn plan_poll(&mut self, i: usize) {
        let holder = &mut self.holders[i];
        let Some(at) = holder.generator.poll_at().filter(|_| holder.make.timers) else { return };
        let wait = at.since(holder.clock.read(self.t)).clamp(1, 120_000);
        let due = self.t + wait;
        let is_planned = match &mut holder.open {
            Some(open) if open.planned <= self.t || due < open.planned => {
                open.planned = due;
                true
            }
            Some(_) => false,
            // Draws poll as well; a timer is set only where no draw comes soon.
            None => wait > 50 && self.rng.chance(200),
        };
        if is_planned {
            self.queue.put(due, Event::Poll(i, holder.life));
        }
    }

    pub(crate) fn send(&mut self, i: usize, call: u64, body: Body) {
        let holder = &self.holders[i];
        let sent = holder.clock.read(self.t);
        let Holder { life, book, .. } = holder;
        let (life, have_until) = (*life, book.have_until);
        let letter = Letter { from: i, life, call, sent, sent_at: self.t, have_until, body };
        let server = self.some_server();
        let rates = self.plan.rates;
        if !self.servers[server].up {
            let failure = Failure::from(Code::StoreUnavailable);
            self.deliver(&letter, server, Err(failure), 1);
            return;
        }
        let races = matches!(&letter.body, Body::Ask(Ask::Acquire(ask)) if ask.sticky)
            && self.rng.chance(RACES);
        if races {
            // Two servers decide for one owner at once.
            let delay = self.delay();
            for server in [0, 1] {
                self.queue.put(self.t + delay, Event::Arrive(server, Box::new(letter.clone())));
            }
            if self.rng.chance(CLOSES_RACED) {
                self.put_within(1_000, 60_000, Event::Close(i, life));
            }
            return;
        }
        if self.rng.chance(rates.doubled) {
            let (server, delay) = (self.some_server(), self.delay());
            self.queue.put(self.t + delay, Event::Arrive(server, Box::new(letter.clone())));
        }
        if self.rng.chance(rates.lost) {
            self.tally.lost += 1;
            return;
        }
        let delay = self.delay();
        self.queue.put(self.t + delay, Event::Arrive(server, Box::new(letter)));
    }

    fn some_server(&mut self) -> usize {
        if self.plan.alien && self.rng.chance(5) {
            return self.plan.servers;
        }
        self.rng.below(self.plan.servers as u64) as usize
    }

    fn delay(&mut self) -> i64 {
        if self.rng.chance(self.plan.rates.late) {
            return self.rng.magnitude(1_000, 60_000) as i64;
        }
        let (least, most) = self.plan.rates.delay_ms;
        self.rng.magnitude(least, most) as i64
    }

    /// Has a server decide; gives nothing for a call without an answer.
    fn decide(&mut self, server: usize, body: &Body) -> Verdict<Option<Answered>> {
        let Server { store, clock, .. } = &mut self.servers[server];
        let (database, now) = (&mut self.stores[*store], clock.read(self.t));
        self.furthest = self.furthest.max(now.get());
        Ok(match body {
            Body::Ask(ask) => Some(database.ask(ask, now)?),
            Body::Release(release) => Some(database.release(release)),
            Body::Return(tag, rest, request) => {
                database.take_back(*tag, *rest, *request);
                None
            }
        })
    }

    pub(crate) fn arrive(&mut self, server: usize, letter: Letter) -> Verdict {
        if !self.servers[server].up {
            return Ok(());
        }
        let store = self.servers[server].store;
        let Some(answered) = self.decide(server, &letter.body)? else { return Ok(()) };
        match answered {
            Err(failure) => {
                if let (Body::Ask(Ask::Segment(ask)), Code::StoreWentBack) =
                    (&letter.body, failure.code)
                {
                    self.put_within(1_000, 300_000, Event::Settle(store, number(&ask.tag)));
                }
                self.answer(&letter, server, Err(failure));
            }
            Ok(Decided::Answer(grant)) => {
                if let (Grant::Segment(grant), 0) = (&grant, store)
                    && letter.have_until.is_some_and(|end| end > grant.range.start)
                {
                    fail!(Untold, "{grant:?} to who has {:?}", letter.have_until);
                }
                self.answer(&letter, server, Ok(grant));
            }
            Ok(Decided::Write(decision)) => {
                let delay = match self.rng.below(4) {
                    0 | 1 => return self.write(server, letter, *decision),
                    _ if self.rng.chance(self.plan.rates.slow_writes) => {
                        self.rng.magnitude(100, 20_000)
                    }
                    _ => self.rng.magnitude(1, 60),
                };
                let pending = Box::new((letter, *decision));
                let epoch = self.servers[server].epoch;
                self.queue.put(self.t + delay as i64, Event::Write(server, epoch, pending));
            }
        }
        Ok(())
    }

    pub(crate) fn write(&mut self, server: usize, letter: Letter, first: Decision) -> Verdict {
        let store = self.servers[server].store;
        let mut decision = first;
        for _ in 0..ATTEMPTS {
            if let Some(written) = self.stores[store].write(&decision)? {
                self.trace.note(self.t, || format!("server {server} wrote {decision:?}"));
                match written {
                    Written::Window(grant) => {
                        self.answer(&letter, server, Ok(Grant::Window(grant)));
                    }
                    Written::Refused(failure) => self.answer(&letter, server, Err(failure)),
                    Written::Release => {}
                }
                return Ok(());
            }
            let answer = match self.decide(server, &letter.body)? {
                Some(Ok(Decided::Write(next))) => {
                    decision = *next;
                    continue;
                }
                Some(Ok(Decided::Answer(grant))) => Ok(grant),
                Some(Err(failure)) => Err(failure),
                None => return Ok(()),
            };
            self.answer(&letter, server, answer);
            return Ok(());
        }
        self.answer(&letter, server, Err(Code::Overloaded.into()));
        Ok(())
    }

    fn answer(&mut self, letter: &Letter, server: usize, answer: Result<Grant, Failure>) {
        if matches!(letter.body, Body::Release(_) | Body::Return(..)) {
            return;
        }
        let rates = self.plan.rates;
        if self.rng.chance(rates.doubled) {
            let delay = self.delay();
            self.deliver(letter, server, answer, delay);
        }
        if self.rng.chance(rates.lost) {
            self.tally.lost += 1;
            return;
        }
        let delay = self.delay();
        self.deliver(letter, server, answer, delay);
    }

    fn deliver(
        &mut self,
        letter: &Letter,
        server: usize,
        answer: Result<Grant, Failure>,
        delay: i64,
    ) {
        let Body::Ask(ask) = &letter.body else { return };
        let mut reply = Reply {
            to: letter.from,
            life: letter.life,
            call: letter.call,
            request: ask.request(),
            sent: letter.sent,
            sent_at: letter.sent_at,
            renewal: matches!(ask, Ask::Renew(_)),
            garbled: false,
            store: self.servers[server].store,
            answer,
        };
        let rates = self.plan.rates;
        if reply.answer.is_ok() && self.rng.chance(rates.garbled) {
            self.garble(&mut reply, ask);
        }
        if reply.answer.is_ok() && self.rng.chance(rates.swapped) {
            self.swap(&mut reply);
        }
        self.queue.put(self.t + delay, Event::Answer(Box::new(reply)));
    }

    /// Sends an answer to another holder, as if it were its own; sometimes to both.
    fn swap(&mut self, reply: &mut Reply) {
        let to = self.rng.below(self.holders.len() as u64) as usize;
        let other = &self.holders[to];
        if to == reply.to || !other.hears() {
            return;
        }
        if self.rng.chance(500) {
            self.put_within(1, 2_000, Event::Answer(Box::new(reply.clone())));
        }
        let other = &self.holders[to];
        (reply.to, reply.life) = (to, other.life);
        let open = other.call;
        reply.sent = open.map_or(other.clock.read(self.t), |call| call.sent);
        reply.call = open.map_or(0, |call| call.number);
    }
}
