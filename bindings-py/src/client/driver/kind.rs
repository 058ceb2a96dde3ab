//! The differences between the two kinds of generators on a host: how they are built and named.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use leafid_core::{
    Generator, HostTime, Ids, Refusal, SegmentConfig, SharedLine, SnowflakeConfig, StateRecord,
};
use leafid_wire::Subject;

use crate::client::host::owner;

/// A generator's configuration, from which every forked child builds it again.
pub trait Kind: Send + Sync + 'static {
    type Core: leafid_core::Kind<Ids: Ids + Send + Sync> + Send;
    /// Whether drawing reads the clock.
    const READS_CLOCK: bool;

    fn build(&self, seed: u64, line: Arc<SharedLine>) -> Result<Held<Self>, Refusal>;

    fn subject(&self) -> Subject<'_>;

    /// The tag or namespace and the owner in words: generators with the same text lease side by side.
    fn draws(&self) -> String {
        self.subject().to_string()
    }

    /// The place of the state file, if one is kept.
    fn state(&self) -> Option<StateAt<'_>> {
        None
    }

    /// Lets the generator continue from its state file's record, if one is kept.
    fn keep(_: &mut Held<Self>, _: Option<StateRecord>, _now: HostTime) -> Result<(), Refusal> {
        Ok(())
    }
}

/// The core's generator of a kind, on the shared line that callers draw from.
pub type Held<K> = Generator<<K as Kind>::Core, Arc<SharedLine>>;

/// The path of a state file, or of a folder of them, and the namespace.
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
    /// The options; the owner counts only if `owner_is_given`.
    pub config: SnowflakeConfig,
    /// If false, the owner is this process, and a forked child is another owner.
    pub owner_is_given: bool,
    /// The state file, if one is kept, or the folder in which each process has its own.
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
