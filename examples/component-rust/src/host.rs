//! An instance of the component, and what it asks of this program: a clock, randomness, a store.

use std::path::Path;
use std::time::Instant;

use wasmtime::component::{Component, HasSelf, Linker, ResourceAny};
use wasmtime::{Engine, Store};

use crate::Outcome;
use crate::bindings::Leafid;
use crate::bindings::exports::leafid::generator::generators::{
    SegmentConfig, SnowflakeConfig, Stance,
};
use crate::bindings::leafid::generator::types::{self, Refusal};
use crate::bindings::wasi::{clocks::monotonic_clock, random::random};
use crate::client::Client;

/// What the imports find.
pub struct Host {
    started: Instant,
    /// The store, over HTTP.
    pub store: Client,
}

impl monotonic_clock::Host for Host {
    fn now(&mut self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }
}

impl random::Host for Host {
    fn get_random_u64(&mut self) -> u64 {
        // Without randomness there is no request id: the trap ends this instance.
        getrandom::u64().expect("the system has randomness")
    }
}

impl types::Host for Host {}

/// The component, running.
pub struct Instance {
    store: Store<Host>,
    leafid: Leafid,
}

impl Instance {
    /// Compiles it, which takes a fifth of a second, and starts it.
    pub fn new(path: &Path, url: &str) -> Outcome<Self> {
        let engine = Engine::default();
        let component = Component::from_file(&engine, path)?;
        let mut linker = Linker::new(&engine);
        Leafid::add_to_linker::<_, HasSelf<_>>(&mut linker, |host: &mut Host| host)?;
        let host = Host { started: Instant::now(), store: Client::new(url) };
        let mut store = Store::new(&engine, host);
        let leafid = Leafid::instantiate(&mut store, &component, &linker)?;
        Ok(Self { store, leafid })
    }

    /// What the imported clock shows, in ms.
    pub fn now_ms(&self) -> i64 {
        self.store.data().started.elapsed().as_millis() as i64
    }
}

/// A method of a generator, as one of ours.
macro_rules! methods {
    ($($name:ident, $call:ident($($given:ident: $of:ty),*) -> $gives:ty;)*) => {
        impl Instance {
            $(
                /// The component's own, or its trap.
                pub fn $name(&mut self, generator: ResourceAny, $($given: $of),*) -> Outcome<$gives> {
                    let generators = self.leafid.leafid_generator_generators().generator();
                    Ok(generators.$call(&mut self.store, generator, $($given),*)?)
                }
            )*
        }
    };
}

methods! {
    next, call_next() -> Result<u64, Refusal>;
    fill, call_fill(n: u32) -> Result<Vec<u64>, Refusal>;
    wants_ask, call_wants_ask() -> bool;
    refill, call_refill() -> Result<bool, Refusal>;
    stance, call_stance(refusal: Refusal) -> Stance;
}

impl Instance {
    /// A generator of numbers.
    pub fn segment(&mut self, config: &SegmentConfig) -> Outcome<ResourceAny> {
        let generators = self.leafid.leafid_generator_generators().generator();
        let made = generators.call_segment(&mut self.store, config)?;
        made.map_err(|refusal| format!("no generator: {:?}", refusal.code).into())
    }

    /// A generator of stamps.
    pub fn snowflake(&mut self, config: &SnowflakeConfig) -> Outcome<ResourceAny> {
        let generators = self.leafid.leafid_generator_generators().generator();
        let made = generators.call_snowflake(&mut self.store, config)?;
        made.map_err(|refusal| format!("no generator: {:?}", refusal.code).into())
    }

    /// Ends a generator; what is left of a window goes back to the store.
    pub fn close(&mut self, generator: ResourceAny) -> Outcome {
        let generators = self.leafid.leafid_generator_generators().generator();
        let closed = generators.call_close(&mut self.store, generator)?;
        closed.map_err(|refusal| format!("not given back: {:?}", refusal.code))?;
        Ok(generator.resource_drop(&mut self.store)?)
    }
}
