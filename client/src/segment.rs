//! Generators of the numbers of a tag.

use std::time::Duration;

use leafid_core::registry::STEP_CAP;
use leafid_core::{Code, SegmentConfig};
use leafid_wire::Subject;

use crate::driver::Config;
use crate::generator::{Generator, OfTag};
use crate::stores::{Make, shown_name};
use crate::{DEFAULT_TIMEOUT, Error, Store};

/// Hands out the numbers of one tag, strictly ascending within this generator.
///
/// Nothing is leased before the first ID.
pub type Segment = Generator<OfTag>;

/// The options of a [`Segment`].
#[derive(Debug)]
#[must_use = "call `build`"]
pub struct SegmentBuilder {
    tag: String,
    store: Option<Result<Store, Error>>,
    step: Option<u32>,
    max_step: Option<u32>,
    create: bool,
    timeout: Duration,
}

impl Segment {
    /// A generator on the store in the environment variable `LEAFID_STORE`.
    ///
    /// # Errors
    /// `TAG_INVALID`; `REQUEST_INVALID` without that variable, and for a URL of no store.
    pub fn new(tag: impl Into<String>) -> Result<Segment, Error> {
        Segment::builder(tag).build()
    }

    /// A generator with options.
    pub fn builder(tag: impl Into<String>) -> SegmentBuilder {
        SegmentBuilder {
            tag: tag.into(),
            store: None,
            step: None,
            max_step: None,
            create: false,
            timeout: DEFAULT_TIMEOUT,
        }
    }

    /// The tag.
    pub fn tag(&self) -> &str {
        match self.config() {
            Config::Segment(config) => config.tag.as_str(),
            Config::Snowflake(kind) => kind.config.namespace.as_str(),
        }
    }
}

impl SegmentBuilder {
    /// The store: its URL, or a [`Store`], which generators may share. By default the URL in the environment
    /// variable `LEAFID_STORE`.
    pub fn store<S: TryInto<Store, Error: Into<Error>>>(mut self, store: S) -> Self {
        self.store = Some(store.try_into().map_err(Into::into));
        self
    }

    /// How many numbers to lease at first, 1 to 2^31 - 1; by default the tag's own step. Later leases follow the
    /// consumption.
    pub fn step(mut self, step: u32) -> Self {
        self.step = Some(step);
        self
    }

    /// The most numbers to lease at once, 1 to 2^31 - 1; by default, and at most, the tag's own. It is what may be
    /// lost when the process dies.
    pub fn max_step(mut self, max_step: u32) -> Self {
        self.max_step = Some(max_step);
        self
    }

    /// Creates the store and the tag with the first ask, where they are missing: for stores in a file or a database.
    pub fn create(mut self) -> Self {
        self.create = true;
        self
    }

    /// How long a call waits; 10 s by default.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// The generator. It asks for nothing yet.
    ///
    /// # Errors
    /// `TAG_INVALID`, `STEP_INVALID`; `REQUEST_INVALID` without a store, and for a URL of no store.
    pub fn build(self) -> Result<Segment, Error> {
        let about = |refusal| Error::about(refusal, Subject::Tag(&shown_name(&self.tag)));
        let mut config = SegmentConfig::new(&self.tag).map_err(about)?;
        config.max_step = checked("max_step", self.max_step, STEP_CAP)?;
        config.step = checked("step", self.step, self.max_step.unwrap_or(STEP_CAP))?;
        let store = Store::chosen(self.store)?;
        if self.create {
            store.0.make(Make::Tag(self.tag))?;
        }
        Generator::of(Config::Segment(config), store, self.timeout)
    }
}

/// Checks a step. The tag's own `max_step` is left to the store.
fn checked(name: &str, step: Option<u32>, most: u32) -> Result<Option<u32>, Error> {
    if step.is_none_or(|step| (1..=most).contains(&step)) {
        return Ok(step);
    }
    let got = step.unwrap_or(0);
    let message = format!("`{name}` must be a whole number from 1 to {most}, got `{got}`");
    Err(Error::new(Code::StepInvalid, message))
}
