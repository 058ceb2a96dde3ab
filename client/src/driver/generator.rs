//! A generator: its configuration and its store, and its holding in the process that uses it.

use std::sync::Arc;
use std::time::Duration;

use leafid_core::{Code, HostTime, Refusal};

use crate::driver::waiting::Caller;
use crate::driver::{Call, Chosen, Config, Core, Holding, Waiting, chosen, hub, live, saving};
use crate::host::clock::Clock;
use crate::host::fork_cell::ForkCell;
use crate::{Error, log};

/// A generator, which a forked child may go on to use.
pub struct Generator {
    pub config: Arc<Config>,
    store: Chosen,
    clock: Clock,
    holding: ForkCell<Holding>,
    /// How long its calls wait by default, in s.
    pub timeout: f64,
}

impl Generator {
    /// Creates a generator, which asks for nothing before its first ID.
    ///
    /// # Errors
    /// Those of [`Config::build`]; `INTERNAL` where the system gives no randomness.
    pub fn new(
        config: Config,
        store: Chosen,
        clock: Clock,
        timeout: f64,
    ) -> Result<Generator, Error> {
        let config = Arc::new(config);
        let test = store.test();
        let holding = ForkCell::new(Arc::new(Holding::build(&config, &clock, test, None)?));
        Ok(Generator { config, store, clock, holding, timeout })
    }

    /// Looks for the store now, which otherwise the first ask does; asks it for nothing.
    ///
    /// # Errors
    /// Those of looking for it.
    pub fn check(&self) -> Result<(), Error> {
        if self.store.test().unwrap_or(0) == 0 { self.store.store().map(drop) } else { Ok(()) }
    }

    /// The holding of the process that used the generator last, for the lock-free path.
    #[inline]
    pub fn last_holding(&self) -> &Holding {
        self.holding.get()
    }

    /// This process's holding; the first call in a forked child makes a new one, and so does that in a test, and
    /// after it.
    ///
    /// # Errors
    /// As [`Generator::new`].
    pub fn holding(&self) -> Result<Arc<Holding>, Error> {
        let (held, test) = (self.holding.get(), self.store.test());
        // One that was closed outside of tests stays so in them.
        let is_of_another_test = held.is_set_aside()
            || (held.test != test && (held.test != Some(0) || !held.is_closed()));
        if is_of_another_test || !held.is_current() {
            let before = (!is_of_another_test).then_some(held);
            let own = Holding::build(&self.config, &self.clock, test, before)?;
            self.holding.replace(held, Arc::new(own));
        }
        Ok(self.holding.share())
    }

    /// Tries once to draw; `Err` says how long to rest before the next try, while the driver carries
    /// an ask.
    ///
    /// # Errors
    /// Those that waiting cannot cure; `TIMED_OUT` when the call's time is up; `INTERNAL` where the system
    /// gives no thread.
    pub fn attempt<T>(
        &self,
        caller: &Caller,
        call: &Call,
        mut draw: impl FnMut(&mut Core, HostTime) -> Result<T, Refusal>,
    ) -> Result<Result<T, Waiting>, Error> {
        let mut now_held;
        let mut caller = caller;
        let mut why = loop {
            match caller.attempt(call.count, &mut draw) {
                Ok(Ok(value)) => return Ok(Ok(value)),
                Ok(Err(why)) => break why,
                // Closed by a test that began or ended meanwhile, not by its owner: goes on with the holding that
                // replaces it.
                Err(_) if caller.is_set_aside() => {
                    now_held = self.holding()?.enter();
                    caller = &now_held;
                }
                Err(error) => return Err(error),
            }
        };
        if why.needs_driver {
            self.drive(caller)?;
        }
        match call.left() {
            Some(Duration::ZERO) => return Err(caller.timed_out(call.timeout, &why)),
            Some(left) => why.rest = why.rest.min(left),
            None => {}
        }
        Ok(Err(why))
    }

    /// Starts what carries the asks of this process's holding.
    fn drive(&self, holding: &Arc<Holding>) -> Result<(), Error> {
        let store = match holding.test.filter(|test| *test > 0).map(chosen::store_of) {
            None => self.store.store().inspect_err(|_| holding.ended())?,
            Some(Some(store)) => store,
            // The test is over: the caller goes on with another holding.
            Some(None) => {
                holding.ended();
                return Ok(());
            }
        };
        // Before the start, which may run the host's code: the handler of the process's end waits for it.
        holding.warn_later(live::begins(holding, store.place()));
        log::want_reader();
        saving::spawn(holding)
            .inspect_err(|_| holding.ended())
            .and_then(|()| hub::spawn(&store, holding))
            .map_err(|error| {
                Error::new(Code::Internal, format!("the system gives no thread: {error}"))
            })
    }

    /// Closes the generator as its drop does, and keeps what its driver needs for the last release until that has ended.
    pub fn retire_with(&self, needed: Box<dyn Send>) {
        // As in `drop`.
        if self.holding.get().is_current() {
            self.holding.get().retire_with(needed);
        }
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        // A child leaves an inherited holding untouched.
        if self.holding.get().is_current() {
            self.holding.get().retire(false);
        }
    }
}
