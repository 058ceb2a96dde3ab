//! `Segment`: the numbers of a tag.

use std::sync::Arc;

use leafid_core::{Code, Refusal, SegmentConfig, Segments, SharedLine};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::clock::{Clock, TestClock};
use crate::errors;
use crate::generator::{Generator, Plan};
use crate::kind::Kind;
use crate::store::StoreArg;
use crate::verbs::generator_class;
use crate::wait::checked_timeout;

/// Numbers.
pub struct Numbers(SegmentConfig);

impl Kind for Numbers {
    type Core = Segments;
    const READS_CLOCK: bool = false;
    const VERBS: &'static [&'static str] = &["lease_segment"];

    fn build(
        &self,
        seed: u64,
        line: Arc<SharedLine>,
    ) -> Result<leafid_core::Generator<Segments, Arc<SharedLine>>, Refusal> {
        leafid_core::Segment::with_line(self.0, seed, line)
    }

    fn about(&self) -> String {
        format!("tag `{}`", self.0.tag)
    }
}

/// Hands out the numbers of one tag, strictly ascending within this generator.
///
/// `store` is a URL, an `HttpStore`, a `MemoryStore` or any object with a method
/// `lease_segment(ask)`; the environment variable `LEAFID_STORE`, if not said. `step` is how many
/// numbers are leased at first (the tag's own step, if not said); `timeout` is how many seconds a
/// call waits at most. Nothing is leased before the first ID.
#[pyclass(frozen, weakref, module = "leafid")]
pub struct Segment(Generator<Numbers>);

generator_class!(Segment, {
    #[new]
    #[pyo3(signature = (tag, store = None, *, step = None, timeout = 10.0, clock = None))]
    fn new(
        py: Python<'_>,
        tag: &str,
        store: Option<&Bound<'_, PyAny>>,
        step: Option<i64>,
        timeout: f64,
        clock: Option<PyRef<'_, TestClock>>,
    ) -> PyResult<Segment> {
        let about = format!("tag `{tag}`");
        let mut config =
            SegmentConfig::new(tag).map_err(|refusal| errors::refuse(py, refusal, &about))?;
        config.step = match step {
            None => None,
            Some(step) => Some(u32::try_from(step).map_err(|_| {
                errors::raise(
                    py,
                    Code::StepInvalid,
                    format!("a step of `{step}` ({about}): {}", Code::StepInvalid.advice()),
                )
            })?),
        };
        let store = StoreArg::resolve(py, store, Numbers::VERBS)?;
        let (clock, timeout) = (Clock::given(clock), checked_timeout(timeout)?);
        Generator::new(Plan { kind: Numbers(config), store, clock, timeout }).map(Segment)
    }

    /// The tag.
    #[getter]
    fn tag(&self) -> &str {
        self.0.plan.kind.0.tag.as_str()
    }

    fn __repr__(&self) -> String {
        format!("Segment({:?})", self.tag())
    }
});
