//! The fields of asks, grants and rows in plain dicts.

use leafid_bindings::{Source, Wrong, strict};
use leafid_core::{Code, FieldReader, FieldWriter, Fields, Layout, Refusal, Subject};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString};

use crate::client::Failed;
use crate::values::PyLayout;

/// A dict that is being written.
pub struct Writing<'py> {
    dict: Bound<'py, PyDict>,
    broken: Option<PyErr>,
}

/// The dict of something with fields.
///
/// # Errors
/// What Python raises when it has no memory.
pub fn written<'py>(
    py: Python<'py>,
    write: impl FnOnce(&mut Writing<'py>),
) -> PyResult<Bound<'py, PyDict>> {
    let mut writing = Writing { dict: PyDict::new(py), broken: None };
    write(&mut writing);
    writing.broken.map_or(Ok(writing.dict), Err)
}

impl<'py> Writing<'py> {
    fn set(&mut self, field: &str, value: impl IntoPyObject<'py>) {
        if let Err(error) = self.dict.set_item(field, value) {
            self.broken = Some(error);
        }
    }
}

impl FieldWriter for Writing<'_> {
    fn number(&mut self, field: &'static str, value: u64) {
        self.set(field, value);
    }

    fn millis(&mut self, field: &'static str, value: i64) {
        self.set(field, value);
    }

    fn big(&mut self, field: &'static str, value: u64) {
        self.set(field, value);
    }

    fn flag(&mut self, field: &'static str, value: bool) {
        self.set(field, value);
    }

    fn text(&mut self, field: &'static str, value: &str) {
        self.set(field, value);
    }

    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Self)) {
        let mut inner = Writing { dict: PyDict::new(self.dict.py()), broken: None };
        write(&mut inner);
        self.broken = self.broken.take().or(inner.broken);
        self.set(field, inner.dict);
    }
}

/// A dict that is being read; it remembers which field it looked at last.
pub struct Reading<'py> {
    dict: Bound<'py, PyDict>,
    field: &'static str,
}

/// Reads something with fields from a dict.
///
/// # Errors
/// The refusal, as words that name the field.
pub fn read<T: Fields>(value: &Bound<'_, PyAny>, what: &str) -> Result<T, Failed> {
    let mut reading = from(value, what)?;
    T::get(&mut reading).map_err(|refusal| reading.unread(refusal, what))
}

/// A dict to read from; `what` names it in the error.
///
/// # Errors
/// `REQUEST_INVALID` for anything else.
pub fn from<'py>(value: &Bound<'py, PyAny>, what: &str) -> Result<Reading<'py>, Failed> {
    let Ok(dict) = value.cast::<PyDict>() else {
        let kind = value.get_type().name().map_or("object".to_owned(), |name| name.to_string());
        let message = format!("{what} is a `{kind}`, not a dict");
        return Err(Failed::new(Code::RequestInvalid, message));
    };
    Ok(Reading { dict: dict.clone(), field: "" })
}

/// What was wrong, in words: with the field that could not be read, else with what it was about.
pub fn wrong(wrong: Wrong, subject: Subject<'_>) -> Failed {
    if wrong.field.is_empty() {
        return Failed::about(wrong.refusal, subject);
    }
    let message = format!("`{}` of the {} is missing or not valid", wrong.field, wrong.of);
    Failed::new(wrong.refusal.code, message)
}

impl Source for Reading<'_> {
    fn field(&self) -> &'static str {
        self.field
    }
}

impl<'py> Reading<'py> {
    /// The words for the field that could not be read.
    fn unread(&mut self, refusal: Refusal, what: &str) -> Failed {
        let field = self.field;
        let said = match self.item(field) {
            Ok(Some(value)) => {
                let shown = value.repr().map_or_else(|_| "…".to_owned(), |repr| repr.to_string());
                let shown: String = shown.chars().take(60).collect();
                format!("`{field}` of {what} cannot be `{shown}`")
            }
            _ => format!("`{field}` of {what} is missing"),
        };
        Failed::new(refusal.code, said)
    }

    fn item(&mut self, field: &'static str) -> Result<Option<Bound<'py, PyAny>>, Refusal> {
        self.field = field;
        let item = self.dict.get_item(field).map_err(|_| invalid())?;
        Ok(item.filter(|value| !value.is_none()))
    }
}

fn invalid() -> Refusal {
    Refusal::new(Code::RequestInvalid)
}

/// A whole number; `True` and `1.0` are not.
fn whole<'a, 'py>(value: &'a Bound<'py, PyAny>) -> Result<&'a Bound<'py, PyInt>, Refusal> {
    if value.is_instance_of::<PyBool>() {
        return Err(invalid());
    }
    value.cast::<PyInt>().map_err(|_| invalid())
}

impl FieldReader for Reading<'_> {
    fn number(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.item(field)? else { return Ok(None) };
        let number = whole(&value)?.extract().map_err(|_| invalid())?;
        strict::number(number).map(Some)
    }

    fn millis(&mut self, field: &'static str) -> Result<Option<i64>, Refusal> {
        let Some(value) = self.item(field)? else { return Ok(None) };
        let ms = whole(&value)?.extract().map_err(|_| invalid())?;
        strict::millis(ms).map(Some)
    }

    fn big(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.item(field)? else { return Ok(None) };
        if let Ok(text) = value.cast::<PyString>() {
            let text = text.to_cow().map_err(|_| invalid())?;
            return strict::decimal(&text).map(Some);
        }
        whole(&value)?.extract::<u64>().map(Some).map_err(|_| invalid())
    }

    fn flag(&mut self, field: &'static str) -> Result<Option<bool>, Refusal> {
        let Some(value) = self.item(field)? else { return Ok(None) };
        value.extract::<bool>().map(Some).map_err(|_| invalid())
    }

    fn text<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&str) -> T,
    ) -> Result<Option<T>, Refusal> {
        let Some(value) = self.item(field)? else { return Ok(None) };
        let text = value.cast::<PyString>().map_err(|_| invalid())?;
        Ok(Some(read(&text.to_cow().map_err(|_| invalid())?)))
    }

    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<Option<T>, Refusal> {
        let Some(value) = self.item(field)? else { return Ok(None) };
        let dict = value.cast_into::<PyDict>().map_err(|_| invalid())?;
        read(&mut Reading { dict, field }).map(Some)
    }

    fn layout(&mut self, field: &'static str) -> Result<Option<Layout>, Refusal> {
        if let Some(value) = self.item(field)?
            && let Ok(layout) = value.cast::<PyLayout>()
        {
            return Ok(Some(layout.get().0));
        }
        if let Ok(Some(named)) = self.text(field, Layout::named) {
            return named.map(Some).ok_or(Refusal::new(Code::LayoutInvalid));
        }
        self.nested(field, Layout::get)
    }
}
