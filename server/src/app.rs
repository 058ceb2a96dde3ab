//! What every request can reach, and how a server behaves.

use std::sync::Arc;
use std::time::Duration;

use leafid_core::Name;
use leafid_leaf::Modes;
use leafid_store::clock::{Clock, SystemClock};
use leafid_store::dispense::Generators;
use leafid_store::dispense::driver::Deps;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;

use crate::http::deadlines::Limits;
use crate::seen::census::Census;
use crate::seen::requests::Requests;

/// How a server behaves.
#[derive(Clone)]
pub struct Config {
    /// How long a request for IDs waits when none is at hand.
    pub patience: Duration,
    /// How long a stop waits for requests under way.
    pub drain: Duration,
    /// How long clients may take, and how many there may be.
    pub limits: Limits,
    /// The clocks.
    pub clock: Arc<dyn Clock>,
    /// What Leaf's listener serves, where there is one.
    pub leaf: Modes,
    /// Whose worker numbers the server's own generators keep, if anybody's: else each start is another
    /// holder.
    pub owner: Option<Name>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            patience: Duration::from_secs(3),
            drain: Duration::from_secs(5),
            limits: Limits::default(),
            clock: Arc::new(SystemClock),
            leaf: Modes::BOTH,
            owner: None,
        }
    }
}

/// What every request can reach.
pub struct App {
    /// Where ranges come from.
    pub store: Arc<Registry>,
    /// The server's own generators.
    pub generators: Arc<Generators>,
    /// What was asked over HTTP.
    pub requests: Requests,
    /// What the store held when it was looked at last.
    pub census: Census,
}

impl App {
    /// A server over this store that does not listen yet.
    ///
    /// # Errors
    /// `INTERNAL` without randomness.
    pub fn new(config: &Config, store: Arc<Registry>) -> Result<Arc<App>, Problem> {
        let (clock, patience) = (Arc::clone(&config.clock), config.patience);
        let deps = Deps { store: Arc::clone(&store), clock, patience };
        let generators = Arc::new(Generators::new(deps, config.owner)?);
        let (requests, census) = (Requests::default(), Census::default());
        Ok(Arc::new(App { store, generators, requests, census }))
    }
}
