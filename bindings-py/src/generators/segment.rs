//! `leafid.Segment`: a generator of the numbers of one tag.

use leafid::driver::Config;
use leafid::stores::{Make, shown_name};
use leafid_core::registry::STEP_CAP;
use leafid_core::{Code, SegmentConfig};
use leafid_wire::Subject;
use pyo3::prelude::*;

use crate::generators::generator::PyGenerator;
use crate::stores::{Needs, chosen};
use crate::testing::PyClock;
use crate::values::{Seconds, Text, errors, whole_number};

/// Hands out the numbers of one tag, strictly ascending within this generator.
///
/// `store` is a URL, an `HttpStore`, a `MemoryStore` or any object with a method
/// `lease_segment(ask)`; by default the URL in the environment variable `LEAFID_STORE`. `step` is
/// the size of the first lease (by default the tag's own step), `max_step` the largest size of any
/// lease (by default the tag's own `max_step`); `timeout` is the longest that a call waits, in
/// seconds. Nothing is leased before the first ID.
///
/// `store` may also be `sqlite:PATH`, a file on this machine, the URL of a PostgreSQL, MySQL or MariaDB
/// database, a `SqliteStore` or a `SqlStore`. With `create` the store and the tag are created if
/// they do not exist.
#[pyclass(frozen, subclass, extends = PyGenerator, module = "leafid")]
pub struct Segment;

#[pymethods]
impl Segment {
    #[new]
    #[pyo3(signature = (tag, store = None, *, create = false, step = None,
        max_step = None, timeout = Seconds::new(10.0), clock = None),
        text_signature = "(tag, store=None, *, create=False, step=None, max_step=None, \
        timeout=10.0, clock=None)")]
    fn new(
        tag: Text,
        store: Option<&Bound<'_, PyAny>>,
        create: bool,
        step: Option<&Bound<'_, PyAny>>,
        max_step: Option<&Bound<'_, PyAny>>,
        timeout: Seconds,
        clock: Option<PyRef<'_, PyClock>>,
    ) -> PyResult<PyClassInitializer<Segment>> {
        let tag = &tag.get("tag")?;
        let refuse = |refusal| errors::refuse(refusal, Subject::Tag(&shown_name(tag)));
        let mut config = SegmentConfig::new(tag).map_err(refuse)?;
        let most = STEP_CAP.into();
        config.max_step = max_step.map(|max| checked_step("max_step", max, most)).transpose()?;
        let most = config.max_step.unwrap_or(STEP_CAP).into();
        config.step = step.map(|step| checked_step("step", step, most)).transpose()?;
        let make = create.then(|| Make::Tag(tag.clone()));
        let store = chosen(store, Needs { verbs: &["lease_segment"], make, workers: None })?;
        let ids = PyGenerator::new(Config::Segment(config), store, clock, timeout)?;
        Ok(PyClassInitializer::from(ids).add_subclass(Segment))
    }

    /// The tag.
    #[getter]
    fn tag<'a>(slf: &'a Bound<'_, Self>) -> &'a str {
        slf.as_super().get().name()
    }
}

/// Checks a step. The tag's own `max_step` is left to the store.
fn checked_step(name: &str, step: &Bound<'_, PyAny>, most: u64) -> PyResult<u32> {
    whole_number(name, step, 1, most, Code::StepInvalid).map(|step| step as u32)
}
