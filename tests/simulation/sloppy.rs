//! Clients of the registry that follow no rule but to use their own keys: they must not be able to harm
//! others. They draw no IDs.

use leafid_core::{AcquireAsk, Ask, Code, Failure, Grant, Name, Release, RenewAsk, Token};

use crate::database::Decided;
use crate::ledger::request;
use crate::verdict::{Verdict, fail};
use crate::windows::Written;
use crate::wire::Event;
use crate::world::World;

/// The lease that a sloppy client believes to have.
#[derive(Clone, Copy, Debug)]
pub struct Lease {
    space: usize,
    worker: u32,
    key: Token,
    end: u64,
}

impl World {
    pub(crate) fn sloppy_verb(&mut self, i: usize) -> Verdict {
        self.put_within(10, 10_000, Event::Sloppy(i));
        let server = self.rng.below(self.plan.servers as u64) as usize;
        if !self.servers[server].up {
            return Ok(());
        }
        match self.sloppy[i] {
            Some(lease) if self.rng.chance(700) => self.sloppy_use(i, server, lease),
            _ => self.sloppy_acquire(i, server),
        }
    }

    fn sloppy_acquire(&mut self, i: usize, server: usize) -> Verdict {
        let space = self.rng.below(self.plan.spaces.len() as u64) as usize;
        let identity = self.identity();
        let request = Token::new(request(identity, 1, self.rng.word()));
        let owner = Name::owner(&format!("sloppy/{i}")).unwrap_or(Name::EMPTY);
        let ask = AcquireAsk {
            length_ms: Some(self.rng.magnitude(1, 1_000_000) as u32),
            ..AcquireAsk::new(named(space), request, owner)
        };
        if let Ok(Some(Grant::Window(grant))) = self.sloppy_ask(server, &Ask::Acquire(ask))? {
            let (worker, end) = (grant.worker, grant.ticks.end);
            self.sloppy[i] = Some(Lease { space, worker, key: ask.request, end });
        }
        Ok(())
    }

    fn sloppy_use(&mut self, i: usize, server: usize, lease: Lease) -> Verdict {
        let Lease { space, worker, end, mut key } = lease;
        let wrong_key = self.rng.chance(100);
        if wrong_key {
            let identity = self.identity();
            key = Token::new(request(identity, 7, self.rng.word()));
        }
        let far = self.rng.magnitude(1, 1_000_000);
        let figure = match self.rng.below(5) {
            0 => 0,
            1 => u64::MAX,
            2 => end + far,
            _ => end.saturating_sub(far),
        };
        let (namespace, store) = (named(space), self.stores[0].id);
        if self.rng.chance(500) {
            let identity = self.identity();
            let ask = RenewAsk {
                namespace,
                request: Token::new(request(identity, 2, self.rng.word())),
                store,
                worker,
                key,
                have_until: figure,
                length_ms: None,
            };
            return match self.sloppy_ask(server, &Ask::Renew(ask))? {
                Ok(Some(Grant::Window(grant))) => {
                    self.sloppy[i] = Some(Lease { end: grant.ticks.end, ..lease });
                    self.right_key(wrong_key)
                }
                Err(Failure { code: Code::LeaseLost, .. }) if !wrong_key => {
                    self.sloppy[i] = None;
                    Ok(())
                }
                _ => Ok(()),
            };
        }
        let release = Release { namespace, store, worker, key, unused_from: figure };
        if let Ok(Decided::Write(decision)) = self.stores[0].release(&release) {
            self.stores[0].write(&decision)?;
            self.sloppy[i] = None;
            return self.right_key(wrong_key);
        }
        Ok(())
    }

    fn right_key(&self, wrong_key: bool) -> Verdict {
        if wrong_key {
            fail!(ForeignKey, "a sloppy client used one that it drew");
        }
        Ok(())
    }

    fn sloppy_ask(&mut self, server: usize, ask: &Ask) -> Verdict<Result<Option<Grant>, Failure>> {
        let now = self.servers[server].clock.read(self.t);
        Ok(match self.stores[0].ask(ask, now)? {
            Ok(Decided::Answer(grant)) => Ok(Some(grant)),
            Ok(Decided::Write(decision)) => match self.stores[0].write(&decision)? {
                Some(Written::Window(grant)) => Ok(Some(Grant::Window(grant))),
                _ => Ok(None),
            },
            Err(failure) => Err(failure),
        })
    }
}

fn named(space: usize) -> Name {
    Name::namespace(&format!("n{space}")).unwrap_or(Name::EMPTY)
}
