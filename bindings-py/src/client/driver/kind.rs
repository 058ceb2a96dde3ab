//! What differs between the two generators on a host: how they are built, and what they are called.

use std::sync::Arc;

use leafid_core::{Generator, Ids, Refusal, SegmentConfig, SharedLine, SnowflakeConfig, Subject};

use crate::client::host::owner;

/// What a generator is built from, again in every forked child.
pub trait Kind: Send + Sync + 'static {
    /// Where its ranges come from.
    type Core: leafid_core::Kind<Ids: Ids + Send + Sync> + Send;
    /// Whether drawing looks at the time.
    const READS_CLOCK: bool;

    /// The generator, over this line.
    ///
    /// # Errors
    /// The core's.
    fn build(
        &self,
        seed: u64,
        line: Arc<SharedLine>,
    ) -> Result<Generator<Self::Core, Arc<SharedLine>>, Refusal>;

    /// What it draws from, for messages.
    fn subject(&self) -> Subject<'_>;
}

/// Numbers of a tag.
pub struct Segments(pub SegmentConfig);

impl Kind for Segments {
    type Core = leafid_core::Segments;
    const READS_CLOCK: bool = false;

    fn build(
        &self,
        seed: u64,
        line: Arc<SharedLine>,
    ) -> Result<Generator<Self::Core, Arc<SharedLine>>, Refusal> {
        leafid_core::Segment::with_line(self.0, seed, line)
    }

    fn subject(&self) -> Subject<'_> {
        Subject::Tag(self.0.tag.as_str())
    }
}

/// Snowflakes of a namespace.
pub struct Snowflakes {
    /// What is wanted; the owner counts only if `owner_is_given`.
    pub config: SnowflakeConfig,
    /// Else the owner is this process, and a forked child is another.
    pub owner_is_given: bool,
}

impl Kind for Snowflakes {
    type Core = leafid_core::Snowflakes;
    const READS_CLOCK: bool = true;

    fn build(
        &self,
        seed: u64,
        line: Arc<SharedLine>,
    ) -> Result<Generator<Self::Core, Arc<SharedLine>>, Refusal> {
        let mut config = self.config;
        if !self.owner_is_given {
            config.owner = owner::name()?;
        }
        leafid_core::Snowflake::with_line(config, seed, line)
    }

    fn subject(&self) -> Subject<'_> {
        Subject::Namespace(self.config.namespace.as_str())
    }
}
