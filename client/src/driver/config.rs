//! The configuration of a generator of either kind, and the core's generator that is built from it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use leafid_core::{
    Code, Refusal, Segment, SegmentConfig, SegmentIds, SharedLine, Snowflake, SnowflakeConfig,
    SnowflakeIds,
};
use leafid_wire::Subject;

use crate::Error;
use crate::host::owner;

/// A generator's configuration, from which every forked child builds it again.
pub enum Config {
    Segment(SegmentConfig),
    Snowflake(Snowflakes),
}

pub struct Snowflakes {
    /// The options; the owner counts only if `owner_is_given`.
    pub config: SnowflakeConfig,
    /// If false, the owner is this process, and a forked child is another owner.
    pub owner_is_given: bool,
    /// The state file, if one is kept, or the folder in which each process has its own.
    pub state: Option<PathBuf>,
}

/// The core's generator of either kind, on the shared line that callers draw from.
pub enum Core {
    Segment(Box<Segment<Arc<SharedLine>>>),
    Snowflake(Box<Snowflake<Arc<SharedLine>>>),
}

/// How the positions of either kind become IDs.
#[derive(Clone, Copy)]
pub enum Numbering {
    Segment(SegmentIds),
    Snowflake(SnowflakeIds),
}

/// Does the same with a core, or a numbering, of either kind.
#[macro_export]
#[doc(hidden)]
macro_rules! each {
    ($kind:ident, $any:expr, $one:ident => $body:expr) => {
        match $any {
            $crate::driver::$kind::Segment($one) => $body,
            $crate::driver::$kind::Snowflake($one) => $body,
        }
    };
}
pub use each;

impl Config {
    /// Builds the core's generator.
    ///
    /// # Errors
    /// The core's, for options that contradict each other.
    pub fn build(&self, seed: u64, line: Arc<SharedLine>) -> Result<Core, Refusal> {
        match self {
            Config::Segment(config) => {
                Segment::with_line(*config, seed, line).map(Box::new).map(Core::Segment)
            }
            Config::Snowflake(Snowflakes { config, owner_is_given, .. }) => {
                let mut config = *config;
                if !owner_is_given {
                    config.owner = owner::name()?;
                }
                Snowflake::with_line(config, seed, line).map(Box::new).map(Core::Snowflake)
            }
        }
    }

    /// The tag or namespace.
    pub fn name(&self) -> &str {
        match self {
            Config::Segment(config) => config.tag.as_str(),
            Config::Snowflake(kind) => kind.config.namespace.as_str(),
        }
    }

    /// The error for more IDs than one call can ever get.
    pub fn at_most(&self, most: u64, n: u64) -> Error {
        let message = format!("{} gives at most {most} IDs at once, got `{n}`", self.subject());
        Error::new(Code::CountInvalid, message)
    }

    /// The tag or namespace, for messages.
    pub fn subject(&self) -> Subject<'_> {
        match self {
            Config::Segment(_) => Subject::Tag(self.name()),
            Config::Snowflake(_) => Subject::Namespace(self.name()),
        }
    }

    /// The tag or namespace and the owner in words, and what each generator with the same words leases.
    pub fn draws(&self) -> (String, &'static str) {
        let subject = self.subject();
        match self {
            Config::Segment(_) => (subject.to_string(), "a range of its own"),
            Config::Snowflake(kind) => {
                let owner = kind.owner_is_given.then(|| format!(" as `{}`", kind.config.owner));
                let words = format!("{subject}{}", owner.unwrap_or_default());
                (words, "a worker number of its own until its window ends")
            }
        }
    }

    /// The same without a state file.
    pub fn without_state(self: &Arc<Config>) -> Arc<Config> {
        let Config::Snowflake(Snowflakes { config, owner_is_given, state: Some(_) }) = &**self
        else {
            return Arc::clone(self);
        };
        let (config, owner_is_given, state) = (*config, *owner_is_given, None);
        Arc::new(Config::Snowflake(Snowflakes { config, owner_is_given, state }))
    }

    /// The path of the state file, or of a folder of them, and the namespace, if one is kept.
    pub fn state(&self) -> Option<(&Path, &str)> {
        let Config::Snowflake(Snowflakes { config, state, .. }) = self else { return None };
        state.as_deref().map(|path| (path, config.namespace.as_str()))
    }
}

/// The absolute path of a state file: the process may change its working directory.
///
/// # Errors
/// `STATE_INVALID` for an empty path, `NOT_ENABLED` on another system than Linux.
pub fn state_path(path: &Path) -> Result<PathBuf, Error> {
    let absolute = std::path::absolute(path).map_err(|_| {
        let message = "`state` must be the path of a file, got an empty one";
        Error::new(Code::StateInvalid, message)
    })?;
    if cfg!(target_os = "linux") {
        return Ok(absolute);
    }
    let message = "state files exist on Linux only: leave `state` out";
    Err(Error::new(Code::NotEnabled, message))
}

impl Core {
    /// How positions become IDs, once that is known.
    pub fn numbering(&self) -> Option<Numbering> {
        match self {
            Core::Segment(core) => core.ids().map(Numbering::Segment),
            Core::Snowflake(core) => core.ids().map(Numbering::Snowflake),
        }
    }

    /// Whether drawing and the end of a range depend on the time.
    pub fn reads_clock(&self) -> bool {
        matches!(self, Core::Snowflake(_))
    }
}
