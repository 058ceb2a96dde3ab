//! Generators of the numbers of a tag.

use leafid_core::registry::STEP_CAP;
use leafid_core::{Code, SegmentConfig};
use leafid_wire::Subject;

use crate::Error;
use crate::builder::Builder;
use crate::driver::Config;
use crate::generator::{Generator, OfTag};
use crate::stores::{Make, shown_name};

/// Hands out the numbers of one tag, strictly ascending within this generator.
///
/// Nothing is leased before the first ID.
///
/// ```
/// let orders = leafid::Segment::builder("orders").store("memory:").build()?;
/// assert_eq!(orders.next()?, 1);
/// assert_eq!(orders.take(3)?, [2, 3, 4]);
/// # Ok::<(), leafid::Error>(())
/// ```
pub type Segment = Generator<OfTag>;

/// The options of a [`Segment`]: made by [`Segment::builder`].
pub type SegmentBuilder = Builder<OfTag>;

#[derive(Debug, Default)]
pub struct Options {
    step: Option<u32>,
    max_step: Option<u32>,
}

impl Segment {
    /// A generator on the store in the environment variable `LEAFID_STORE`.
    ///
    /// # Errors
    /// `TAG_INVALID` for a tag that does not match `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`; `REQUEST_INVALID` without that
    /// variable, and for a URL of no store.
    ///
    /// ```
    /// # unsafe { std::env::set_var("LEAFID_STORE", "memory:") };
    /// let orders = leafid::Segment::new("orders")?;
    /// assert_eq!(orders.next()?, 1);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn new(tag: impl Into<String>) -> Result<Segment, Error> {
        Segment::builder(tag).build()
    }

    /// A generator with options.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let orders = leafid::Segment::builder("orders")
    ///     .store("memory:")
    ///     .timeout(Duration::from_secs(2))
    ///     .build()?;
    /// assert_eq!(orders.tag(), "orders");
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn builder(tag: impl Into<String>) -> SegmentBuilder {
        Builder::new(tag.into())
    }

    /// The tag.
    ///
    /// ```
    /// # let orders = leafid::Segment::builder("orders").store("memory:").build()?;
    /// assert_eq!(orders.tag(), "orders");
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn tag(&self) -> &str {
        self.config().name()
    }
}

impl SegmentBuilder {
    /// How many numbers to lease at first, 1 to 2^31 - 1; by default the tag's own step. Later leases follow the
    /// consumption.
    ///
    /// ```
    /// let orders = leafid::Segment::builder("orders").store("memory:").step(50).build()?;
    /// orders.next()?;
    /// assert_eq!(orders.stats()?.in_hand, 49);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn step(mut self, step: u32) -> Self {
        self.own.step = Some(step);
        self
    }

    /// The most numbers to lease at once, 1 to 2^31 - 1; by default, and at most, the tag's own. It is what may be
    /// lost when the process dies.
    ///
    /// ```
    /// let orders = leafid::Segment::builder("orders").store("memory:").max_step(100).build()?;
    /// orders.next()?;
    /// assert_eq!(orders.stats()?.in_hand, 99);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn max_step(mut self, max_step: u32) -> Self {
        self.own.max_step = Some(max_step);
        self
    }

    /// The generator. It asks for nothing yet.
    ///
    /// # Errors
    /// `TAG_INVALID` as [`Segment::new`]; `STEP_INVALID` for a step that is 0, above 2^31 - 1, or above
    /// [`max_step`](Self::max_step); `REQUEST_INVALID` without a store, and for a URL of no store; `NOT_ENABLED` for one
    /// that this build has no feature for.
    ///
    /// ```
    /// let zero = leafid::Segment::builder("orders").store("memory:").step(0).build();
    /// assert_eq!(zero.unwrap_err().code(), leafid::Code::StepInvalid);
    /// # Ok::<(), leafid::Error>(())
    /// ```
    pub fn build(self) -> Result<Segment, Error> {
        let about = |refusal| Error::about(refusal, Subject::Tag(&shown_name(&self.name)));
        let Options { step, max_step } = self.own;
        let mut config = SegmentConfig::new(&self.name).map_err(about)?;
        config.max_step = checked("max_step", max_step, STEP_CAP)?;
        config.step = checked("step", step, max_step.unwrap_or(STEP_CAP))?;
        let make = Make::Tag(self.name.clone());
        self.built(Config::Segment(config), make)
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
