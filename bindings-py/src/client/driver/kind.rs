//! What differs between the two generators on a host: how they are built, and what they are called.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use leafid_core::{
    Generator, HostTime, Ids, Refusal, SegmentConfig, SharedLine, SnowflakeConfig, StateRecord,
};
use leafid_wire::Subject;

use crate::client::host::owner;

/// What a generator is built from, again in every forked child.
pub trait Kind: Send + Sync + 'static {
    type Core: leafid_core::Kind<Ids: Ids + Send + Sync> + Send;
    /// Whether drawing looks at the time.
    const READS_CLOCK: bool;

    fn build(&self, seed: u64, line: Arc<SharedLine>) -> Result<Held<Self>, Refusal>;

    fn subject(&self) -> Subject<'_>;

    /// What it draws from and as whom: two that say the same lease side by side.
    fn draws(&self) -> String {
        self.subject().to_string()
    }

    /// Where its state file is, if it keeps one.
    fn state(&self) -> Option<StateAt<'_>> {
        None
    }

    /// Has the generator go on with what its state file says, if it keeps one.
    fn keep(_: &mut Held<Self>, _: Option<StateRecord>, _now: HostTime) -> Result<(), Refusal> {
        Ok(())
    }
}

/// The core's generator of a kind, on the line that callers draw from.
pub type Held<K> = Generator<<K as Kind>::Core, Arc<SharedLine>>;

/// Where a state file is, or a folder of such, and which namespace it is of.
#[derive(Clone, Copy)]
pub struct StateAt<'a> {
    pub path: &'a Path,
    pub namespace: &'a str,
}

pub struct Segments(pub SegmentConfig);

impl Kind for Segments {
    type Core = leafid_core::Segments;
    const READS_CLOCK: bool = false;

    fn build(&self, seed: u64, line: Arc<SharedLine>) -> Result<Held<Self>, Refusal> {
        leafid_core::Segment::with_line(self.0, seed, line)
    }

    fn subject(&self) -> Subject<'_> {
        Subject::Tag(self.0.tag.as_str())
    }
}

pub struct Snowflakes {
    /// What is wanted; the owner counts only if `owner_is_given`.
    pub config: SnowflakeConfig,
    /// Else the owner is this process, and a forked child is another.
    pub owner_is_given: bool,
    /// Where its state file is, if it keeps one, or the folder in which each process has its own.
    pub state: Option<PathBuf>,
}

impl Kind for Snowflakes {
    type Core = leafid_core::Snowflakes;
    const READS_CLOCK: bool = true;

    fn build(&self, seed: u64, line: Arc<SharedLine>) -> Result<Held<Self>, Refusal> {
        let mut config = self.config;
        if !self.owner_is_given {
            config.owner = owner::name()?;
        }
        leafid_core::Snowflake::with_line(config, seed, line)
    }

    fn subject(&self) -> Subject<'_> {
        Subject::Namespace(self.config.namespace.as_str())
    }

    fn draws(&self) -> String {
        let owner = self.owner_is_given.then(|| format!(" as `{}`", self.config.owner));
        format!("{}{}", self.subject(), owner.unwrap_or_default())
    }

    fn state(&self) -> Option<StateAt<'_>> {
        let namespace = self.config.namespace.as_str();
        self.state.as_deref().map(|path| StateAt { path, namespace })
    }

    fn keep(
        generator: &mut Held<Self>,
        found: Option<StateRecord>,
        now: HostTime,
    ) -> Result<(), Refusal> {
        generator.keep(found, now)
    }
}
