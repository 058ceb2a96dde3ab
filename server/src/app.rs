//! The state that requests share, and the server's configuration.

use std::sync::Arc;
use std::time::Duration;

use leafid_core::Name;
use leafid_leaf::Modes;
use leafid_store::clock::SystemClock;
use leafid_store::dispense::Generators;
use leafid_store::dispense::driver::Deps;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;

use crate::http::deadlines::Limits;
use crate::seen::census::Census;
use crate::seen::requests::Requests;

/// The server's configuration.
#[derive(Clone)]
pub struct Config {
    /// How long a request for single IDs waits when none is at hand.
    pub patience: Duration,
    /// How long a stop waits for requests under way.
    pub drain: Duration,
    /// Time-outs and limits of connections.
    pub limits: Limits,
    /// The modes that Leaf's listener serves, where there is one.
    pub leaf: Modes,
    /// The owner under which the server's own generators keep their worker numbers; without one, each
    /// start is a new holder.
    pub owner: Option<Name>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            patience: Duration::from_secs(3),
            drain: Duration::from_secs(5),
            limits: Limits::default(),
            leaf: Modes::BOTH,
            owner: None,
        }
    }
}

/// The state that requests share.
pub struct App {
    /// The registry.
    pub store: Arc<Registry>,
    /// The server's own generators.
    pub generators: Arc<Generators>,
    /// Counters of HTTP requests.
    pub requests: Requests,
    /// The last overview of the store's contents.
    pub census: Census,
}

impl App {
    /// Builds a server over this store; it does not listen yet.
    ///
    /// # Errors
    /// `INTERNAL` without randomness.
    pub fn new(config: &Config, store: Arc<Registry>) -> Result<Arc<App>, Problem> {
        let (clock, patience) = (Arc::new(SystemClock), config.patience);
        let deps = Deps { store: Arc::clone(&store), clock, patience };
        let generators = Arc::new(Generators::new(deps, config.owner)?);
        let (requests, census) = (Requests::default(), Census::default());
        Ok(Arc::new(App { store, generators, requests, census }))
    }
}
