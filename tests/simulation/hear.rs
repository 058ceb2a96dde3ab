//! Holders receive answers.

use leafid_core::{Code, Event as Came, Failure, Grant, Outcome, Refusal};

use crate::holder::{OpenCall, State};
use crate::plan::Loss;
use crate::verdict::{Verdict, fail};
use crate::wire::{Body, Event, Reply};
use crate::world::World;

impl World {
    pub(crate) fn hear(&mut self, reply: Reply) -> Verdict {
        let i = reply.to;
        let holder = &mut self.holders[i];
        if holder.life != reply.life || !holder.hears() {
            return Ok(());
        }
        if let State::Paused(until) = holder.state {
            // The answer waits in the host's buffers until the host goes on.
            self.queue.put(until + 1, Event::Answer(Box::new(reply)));
            return Ok(());
        }
        if holder.call.is_some_and(|call| call.number == reply.call) {
            holder.call = None;
        }
        self.trace.note(self.t, || format!("holder {i} hears {reply:?}"));
        match &reply.answer {
            Ok(grant) => self.hear_grant(&reply, grant)?,
            Err(failure) => self.hear_failure(&reply, *failure)?,
        }
        self.poll(i)
    }

    fn hear_grant(&mut self, reply: &Reply, grant: &Grant) -> Verdict {
        let holder = &mut self.holders[reply.to];
        let now = holder.now(self.t);
        let dropped = holder.generator.stats().dropped;
        // Judged by the request that it names, not by the holder that it came to.
        let (request, sent) = (grant.request(), reply.sent);
        let outcome =
            holder.generator.handle(Came::Answer { request, sent, answer: Ok(*grant) }, now);
        let dropped = holder.generator.stats().dropped - dropped;
        if holder.is_numbers() && outcome == Ok(Outcome::Applied) && !holder.book.resumed {
            holder.thrift.dropped(dropped)?;
            self.tally.dropped += dropped;
        }
        match outcome {
            Ok(Outcome::Ignored) => {
                let late = holder.state == State::Closed
                    && holder.thrift.waits_for_window(grant.request());
                if late && !reply.garbled {
                    fail!(Leak, "holder {} keeps {grant:?}", holder.identity);
                }
                return Ok(());
            }
            Ok(Outcome::Applied) if reply.garbled => {
                fail!(Nonsense, "holder {} applied {grant:?}", holder.identity);
            }
            Ok(Outcome::Applied) => self.applied(reply, grant)?,
            Ok(Outcome::Release(release)) => {
                holder.thrift.ends(grant.request());
                self.send(reply.to, 0, Body::Release(release));
            }
            Err(Refusal { code, .. }) => {
                holder.thrift.failed(grant.request(), code, now, true);
                self.alarm(reply, code)?;
            }
        }
        Ok(())
    }

    fn applied(&mut self, reply: &Reply, grant: &Grant) -> Verdict {
        let holder = &mut self.holders[reply.to];
        let now = holder.now(self.t);
        let book = &mut holder.book;
        self.tally.grants += 1;
        book.grants += 1;
        holder.told_until = i64::MIN;
        book.store.get_or_insert(reply.store);
        let heard = now.get() + holder.generator.stats().offset_ms;
        let mut left = None;
        if let Grant::Window(grant) = grant {
            let over_at = grant.layout.time(grant.ticks.end).get();
            book.told(heard, over_at);
            left = Some(over_at - heard);
        }
        holder.clock.told(reply.sent_at, self.t, book.reached);
        holder.thrift.granted(reply.request, now, left)?;
        match grant {
            Grant::Segment(grant) => {
                book.numbers += grant.range.len();
                book.have_until = book.have_until.max(Some(grant.range.end));
                book.last_range = (grant.range.start, grant.range.end);
            }
            Grant::Window(_) if !reply.renewal => book.last_position = None,
            Grant::Window(_) => {}
        }
        Ok(())
    }

    fn hear_failure(&mut self, reply: &Reply, failure: Failure) -> Verdict {
        let holder = &mut self.holders[reply.to];
        let Failure { code, retry_after_ms } = failure;
        let now = holder.now(self.t);
        let (request, sent) = (reply.request, reply.sent);
        let _ = holder.generator.handle(Came::Answer { request, sent, answer: Err(failure) }, now);
        self.tally.leases_lost += u64::from(code == Code::LeaseLost);
        let read = !matches!(code, Code::StoreUnavailable | Code::TimedOut);
        holder.thrift.failed(reply.request, code, now, read);
        if let Some(wait) = retry_after_ms {
            let until = now.get() + i64::from(wait) + 1_000;
            holder.told_until = until;
        }
        self.alarm(reply, code)
    }

    /// Checks a code that stops a generator: right only from another store, or one that lost grants.
    fn alarm(&mut self, reply: &Reply, code: Code) -> Verdict {
        let holder = &self.holders[reply.to];
        // A generator ignores an answer to an ask that it has given up.
        if !code.stops() || !holder.generator.failure().is_some_and(Code::stops) {
            return Ok(());
        }
        // A child that knows its parent's last ID but not its store may ask another one, which is behind.
        let told = holder.book.resumed && holder.book.store.is_none() && reply.store != 0;
        let changed = code == Code::StoreChanged || (code == Code::StoreWentBack && told);
        let foreign = self.plan.alien && changed;
        // A fence moves tags above all grants, but not the windows.
        let lost = code == Code::StoreWentBack
            && self.stores[0].went_back
            && (self.plan.loss == Loss::Unfenced || !holder.is_numbers());
        if !foreign && !lost {
            fail!(FalseAlarm, "holder {}: {code}", holder.identity);
        }
        let (i, life, delay) = (reply.to, holder.life, self.rng.magnitude(1_000, 60_000) as i64);
        self.queue.put(self.t + delay, Event::Start(i, life));
        Ok(())
    }

    pub(crate) fn give_up(&mut self, i: usize, life: u64, number: u64) {
        let holder = &mut self.holders[i];
        let waits = holder.call.filter(|call| call.number == number);
        if let Some(call) = waits.filter(|_| holder.life == life && holder.state == State::Running)
        {
            holder.call = None;
            let now = holder.now(self.t);
            let code = self.rng.pick(&[Code::StoreUnavailable, Code::TimedOut]);
            holder.thrift.failed(call.request, code, now, false);
            let OpenCall { request, sent, .. } = call;
            let came = Came::Answer { request, sent, answer: Err(code.into()) };
            let _ = holder.generator.handle(came, now);
        }
    }
}
