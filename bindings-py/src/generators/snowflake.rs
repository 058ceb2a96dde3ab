//! `leafid.Snowflake`: a generator of IDs made of time, worker number and sequence, inside leased windows.

use leafid::driver::{Config, Snowflakes, state_path};
use leafid::stores::{Make, shown_name};
use leafid_core::{Code, Name, SnowflakeConfig};
use leafid_wire::Subject;
use pyo3::prelude::*;

use crate::generators::generator::PyGenerator;
use crate::stores::{Needs, chosen};
use crate::testing::PyClock;
use crate::values::{
    FilePath, LayoutArg, OrRaise as _, Seconds, Text, cut, errors, whole_ms, whole_number,
    worker_range,
};

/// Stamps IDs with the store's time and a leased worker number, ascending within this generator.
///
/// `store` is a URL, an `HttpStore`, a `MemoryStore` or any object with the methods
/// `acquire(ask)`, `renew(ask)` and `release(ask)`; by default the URL in the environment variable
/// `LEAFID_STORE`. `owner` is this holder's label (by default `hostname/pid`); `layout` is the layout
/// that the namespace must have (by default any).
///
/// With `sticky` the owner keeps its worker number until it has not been seen for 30 days. While that
/// number is not free, as after a crash or beside another process of this owner, the generator borrows
/// another; with `strict` as well it waits. `sticky` needs an `owner` that survives a restart.
///
/// `store` may also be `sqlite:PATH`, a file on this machine, the URL of a PostgreSQL, MySQL or MariaDB
/// database, a `SqliteStore` or a `SqlStore`. With `create` the store and the namespace are created if
/// they do not exist; `workers` is then the namespace's range of worker numbers: the first, and one
/// more than the last.
///
/// `length` is the longest window to ask for, in seconds (by default the namespace's maximum). The
/// generator survives an outage of the store for as long as its window lasts; a window lasts at most
/// twice as long as the generator has lived, or 10 s.
///
/// `max_ahead` is how many seconds IDs may run ahead of the clock in a burst; the sequence of a new
/// tick begins below `spread`; `state` is the path of a file on a local disk, used by this process
/// alone, from which its next run starts at once although the store is away, or of a folder, in which
/// each process takes a free file; `timeout` is the longest that a call waits, in seconds. Nothing is
/// leased before the first ID.
#[pyclass(frozen, subclass, extends = PyGenerator, module = "leafid")]
pub struct Snowflake;

#[pymethods]
impl Snowflake {
    #[new]
    #[pyo3(signature = (namespace = Text::new("default".to_owned()), store = None, *,
        create = false, workers = None, owner = None, sticky = false, strict = false, layout = None, length = None, max_ahead = Seconds::new(1.0),
        spread = None, state = None, timeout = Seconds::new(10.0), clock = None),
        text_signature = "(namespace=\"default\", store=None, *, create=False, workers=None, owner=None, \
        sticky=False, strict=False, layout=None, length=None, max_ahead=1.0, spread=None, \
        state=None, timeout=10.0, clock=None)")]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of a Python constructor")]
    fn new(
        namespace: Text,
        store: Option<&Bound<'_, PyAny>>,
        create: bool,
        workers: Option<&Bound<'_, PyAny>>,
        owner: Option<Text>,
        sticky: bool,
        strict: bool,
        layout: Option<LayoutArg>,
        length: Option<Seconds>,
        max_ahead: Seconds,
        spread: Option<&Bound<'_, PyAny>>,
        state: Option<FilePath>,
        timeout: Seconds,
        clock: Option<PyRef<'_, PyClock>>,
    ) -> PyResult<PyClassInitializer<Snowflake>> {
        let namespace = &namespace.get("namespace")?;
        let owner = owner.map(|owner| owner.get("owner")).transpose()?;
        let refuse = |refusal| errors::refuse(refusal, Subject::Namespace(&shown_name(namespace)));
        // `-` is a placeholder: without `owner`, the process's label replaces it when the generator is built.
        let mut config = SnowflakeConfig::new(namespace, "-").map_err(refuse)?;
        if let Some(owner) = &owner {
            config.owner = Name::owner(owner).map_err(|_| {
                errors::raise(
                    Code::RequestInvalid,
                    format!(
                        "`owner` must be 1 to 128 bytes without control characters, got {}",
                        cut(owner)
                    ),
                )
            })?;
        }
        (config.sticky, config.strict) = (sticky, strict);
        checked_sticky(&config, owner.is_some())?;
        config.layout = layout.map(|layout| layout.0);
        config.length_ms = length.map(|length| whole_ms("length", length)).transpose()?;
        config.max_ahead_ms = whole_ms("max_ahead", max_ahead)?;
        let spread =
            spread.map(|s| whole_number("spread", s, 0, u32::MAX.into(), Code::RangeInvalid));
        config.spread = spread.transpose()?.map(|spread| spread as u32);
        let workers = workers.map(|workers| worker_range(workers, false)).transpose()?;
        if workers.is_some() && !create {
            let message = "`workers` is the range of a namespace that is made: add \
                           `create=True`, or leave it out";
            return Err(errors::raise(Code::WorkerInvalid, message));
        }
        // The options of `default` itself are applied below, with its layout.
        let beside = workers.filter(|_| namespace != "default");
        let verbs = &["acquire", "renew", "release"];
        let make = create.then(|| Make::Namespace(namespace.clone(), config.layout, workers));
        let store = chosen(store, Needs { verbs, make, workers: beside })?;
        let state = state.map(|path| state_path(&path.get("state")?).or_raise()).transpose()?;
        let config =
            Config::Snowflake(Snowflakes { config, owner_is_given: owner.is_some(), state });
        let ids = PyGenerator::new(config, store, clock, timeout)?;
        Ok(PyClassInitializer::from(ids).add_subclass(Snowflake))
    }

    /// The namespace.
    #[getter]
    fn namespace<'a>(slf: &'a Bound<'_, Self>) -> &'a str {
        slf.as_super().get().name()
    }
}

/// Refuses `sticky` and `strict` where the number could not be found again, or is not wanted.
fn checked_sticky(config: &SnowflakeConfig, owner_is_given: bool) -> PyResult<()> {
    let message = match (config.sticky, config.strict) {
        (false, true) => "`strict=True` says that no other number will do: it needs `sticky=True`",
        // Otherwise every start would keep another number for 30 days.
        (true, _) if !owner_is_given => {
            "`sticky=True` needs an `owner` that is the same after a restart, such as the name of a \
             pod of a StatefulSet: `owner=os.environ[\"HOSTNAME\"]`"
        }
        _ => return Ok(()),
    };
    Err(errors::raise(Code::RequestInvalid, message))
}
