//! What holders do with answers.

use leafid_core::{Code, Failure, Grant, Outcome, Refusal};

use crate::holder::State;
use crate::ledger::identity;
use crate::verdict::{Check, Verdict, wrong};
use crate::wire::{Body, Event, Reply};
use crate::world::World;

/// Answers that took longer do not set a generator's time, but the first one.
const SLOW_ANSWER_MS: i64 = 1_000;

impl World {
    /// An answer comes to a holder.
    pub(crate) fn hear(&mut self, reply: Reply) -> Verdict {
        let i = reply.to;
        let holder = &mut self.holders[i];
        if holder.life != reply.life || !holder.hears() {
            return Ok(());
        }
        if let State::Paused(until) = holder.state {
            // It lies in the host's buffers until the host goes on.
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
        self.tally.alien += u64::from(reply.store != 0);
        let outcome = holder.generator.handle_grant(grant, reply.sent, now);
        match outcome {
            Ok(Outcome::Ignored) => return Ok(()),
            Ok(Outcome::Applied) if reply.garbled => {
                let detail = format!("holder {} applied {grant:?}", holder.identity);
                return wrong(Check::Nonsense, detail);
            }
            Ok(Outcome::Applied) => self.applied(reply, grant),
            Ok(Outcome::Release(release)) => {
                self.tally.late_releases += 1;
                if identity(release.key) != holder.identity && self.settings.rules {
                    let detail = format!("holder {} sends {release:?}", holder.identity);
                    return wrong(Check::ForeignName, detail);
                }
                self.tally.releases += 1;
                self.send(reply.to, 0, Body::Release(release));
            }
            Err(Refusal { code, .. }) => {
                self.tally.refused_answers += 1;
                self.alarm(reply.to, code)?;
            }
        }
        self.holders[reply.to].answered = Some(grant.request());
        Ok(())
    }

    fn applied(&mut self, reply: &Reply, grant: &Grant) {
        let took = self.t - reply.sent_at;
        let holder = &mut self.holders[reply.to];
        let now = holder.now(self.t);
        let book = &mut holder.book;
        self.tally.grants += 1;
        self.tally.renewals += u64::from(reply.renewal);
        book.grants += 1;
        holder.told_until = i64::MIN;
        book.store.get_or_insert(reply.store);
        if book.slowest_answer == 0 || took <= SLOW_ANSWER_MS {
            book.slowest_answer = book.slowest_answer.max(took).max(1);
            holder.clock.told(reply.sent_at);
        }
        if let Grant::Window(grant) = grant {
            let heard = now.get() + holder.generator.stats().offset_ms;
            book.told(heard, grant.layout.time(grant.ticks.end).get());
        }
        match grant {
            Grant::Segment(grant) => {
                self.tally.switches += u64::from(book.last_range.1 != grant.range.start);
                book.numbers += grant.range.len();
                book.last_range = (grant.range.start, grant.range.end);
            }
            Grant::Window(_) if !reply.renewal => {
                self.tally.switches += 1;
                book.last_position = None;
            }
            Grant::Window(_) => {}
        }
    }

    fn hear_failure(&mut self, reply: &Reply, failure: Failure) -> Verdict {
        let holder = &mut self.holders[reply.to];
        let Failure { code, retry_after_ms } = failure;
        let now = holder.now(self.t);
        holder.generator.handle_failure(reply.request, code, retry_after_ms, now);
        self.tally.leases_lost += u64::from(code == Code::LeaseLost);
        if !matches!(code, Code::StoreUnavailable | Code::TimedOut) {
            holder.answered = Some(reply.request);
        }
        if let Some(wait) = retry_after_ms {
            let until = now.get() + i64::from(wait) + 1_000;
            holder.told_until = until;
        }
        self.alarm(reply.to, code)
    }

    /// A code that stops a generator: rightly only where another store answers.
    fn alarm(&mut self, i: usize, code: Code) -> Verdict {
        if !code.stops() {
            return Ok(());
        }
        let holder = &self.holders[i];
        let foreign = self.plan.alien && (code == Code::StoreChanged || !self.settings.rules);
        if !foreign {
            return wrong(Check::FalseAlarm, format!("holder {}: {code}", holder.identity));
        }
        self.tally.stopped += 1;
        let (life, delay) = (holder.life, self.rng.magnitude(1_000, 60_000) as i64);
        self.queue.put(self.t + delay, Event::Start(i, life));
        Ok(())
    }

    /// A host no longer waits for an answer.
    pub(crate) fn give_up(&mut self, i: usize, life: u64, number: u64) {
        let holder = &mut self.holders[i];
        let waits = holder.call.filter(|call| call.number == number);
        if let Some(call) = waits.filter(|_| holder.life == life && holder.state == State::Running)
        {
            holder.call = None;
            let now = holder.now(self.t);
            let code = self.rng.pick(&[Code::StoreUnavailable, Code::TimedOut]);
            holder.generator.handle_failure(call.request, code, None, now);
        }
    }
}
