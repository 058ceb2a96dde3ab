//! Layouts as arguments, and `leafid.decode`.

use leafid_core::{Code, Layout};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::values::{PyLayout, dict, errors, utf8};

/// A `Layout`, a preset's name, or a dict of its fields.
pub struct LayoutArg(pub Layout);

impl<'py> FromPyObject<'_, 'py> for LayoutArg {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<LayoutArg> {
        if let Ok(layout) = value.cast::<PyLayout>() {
            return Ok(LayoutArg(layout.get().0));
        }
        if let Ok(name) = value.cast::<PyString>() {
            let name = utf8(&name)?;
            let unknown = || {
                let message = format!(
                    "there is no layout `{name}`: use `leaf`, `edge`, `long` or `js53`, or a \
                     `Layout` of your own"
                );
                errors::raise(Code::LayoutInvalid, message)
            };
            return Layout::named(&name).map(LayoutArg).ok_or_else(unknown);
        }
        Ok(LayoutArg(dict::read(&value, "the layout")?))
    }
}

/// Splits an ID into `time_ms`, `tick`, `worker`, `sequence`, and `time` as a `datetime`.
#[pyfunction]
#[pyo3(signature = (id, layout = LayoutArg(Layout::LEAF)), text_signature = "(id, layout=Layout.leaf)")]
pub fn decode<'py>(id: &Bound<'py, PyAny>, layout: LayoutArg) -> PyResult<Bound<'py, PyAny>> {
    PyLayout(layout.0).decompose(id)
}
