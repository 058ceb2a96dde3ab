//! One request to a store over SQL: the texts for Python's drivers, and the answer.

use std::borrow::Cow;

use leafid_bindings::sql::Row;
use leafid_bindings::turn::{self, Reply};
use leafid_core::{StoreTime, Token};
use leafid_turn::alone::Alone;
use leafid_turn::problem::Problem;
use leafid_turn::sql::columns::Value;
use leafid_turn::sql::{Query, Step};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString};

use crate::client::Failed;
use crate::values::{Now, TokenArg, dict};

type Asked<'py> = (&'static str, Bound<'py, PyDict>);

/// A turn of one request: its reads, its writes, and its answer.
#[pyclass(module = "leafid._native")]
pub struct Turn {
    alone: Option<Alone<Reply>>,
}

#[pymethods]
impl Turn {
    #[new]
    fn new(
        is_leaf: bool,
        store: TokenArg,
        now_ms: Now,
        verb: &str,
        ask: &Bound<'_, PyAny>,
    ) -> PyResult<Turn> {
        let decide = turn::request(verb, dict::from(ask, "the ask")?)
            .map_err(|wrong| dict::wrong_ask(wrong, ask))?;
        let now = StoreTime::new(now_ms.0);
        Ok(Turn { alone: Some(Alone::new(is_leaf, store.0, now, decide)) })
    }

    /// The queries to run: names of texts, and their parameters. None once the request is decided.
    fn reads<'py>(&self, py: Python<'py>) -> PyResult<Vec<Asked<'py>>> {
        let queries = self.alone.iter().flat_map(Alone::reads);
        queries.map(|query| asked(py, &query)).collect()
    }

    /// Takes the rows of each query, as dicts.
    fn learn(&mut self, found: Vec<Vec<Bound<'_, PyDict>>>) {
        let rows = |rows: Vec<_>| rows.iter().map(row).collect();
        let found: Vec<Vec<Row>> = found.into_iter().map(rows).collect();
        if let Some(alone) = &mut self.alone {
            alone.learn(&found);
        }
    }

    /// The statements to run: the kind of each (`write` a row, `find` one, or `adjust` what there is), the
    /// name of its text, and its parameters.
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Vec<(&'static str, Asked<'py>)>> {
        let steps = self.alone.iter().flat_map(Alone::steps);
        let steps = steps.map(|step| {
            let kind = match &step {
                Step::Write(_) => "write",
                Step::Adjust(_) => "adjust",
                Step::Find(_) => "find",
            };
            Ok((kind, asked(py, step.query())?))
        });
        steps.collect()
    }

    /// The answer, once the writes are durable: fields, a list of them, or None. Raises a refusal.
    fn answer<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(alone) = self.alone.take() else { return Ok(None) };
        match alone.answer().map_err(failed)? {
            Reply::Done => Ok(None),
            Reply::Tags(rows) => {
                let listed = PyList::empty(py);
                for (tag, row) in rows {
                    listed.append(dict::written(py, |to| Reply::Tag(tag, row).put(to))?)?;
                }
                Ok(Some(listed.into_any()))
            }
            reply => Ok(Some(dict::written(py, |to| reply.put(to))?.into_any())),
        }
    }
}

/// A refusal in the store's words.
pub fn failed(problem: Problem) -> Failed {
    Failed {
        until_ms: problem.free_at.map(StoreTime::get),
        retry_after_ms: problem.free_at.and(problem.retry_after_ms),
        says_when: true,
        ..Failed::new(problem.code, problem.detail)
    }
}

/// The name of a query's text, and its parameters.
fn asked<'py>(py: Python<'py>, query: &Query) -> PyResult<Asked<'py>> {
    let params = PyDict::new(py);
    for (name, value) in query.params.all() {
        match value {
            Value::Int(value) => params.set_item(name, value)?,
            Value::Flag(value) => params.set_item(name, value)?,
            Value::Text(text) => params.set_item(name, text.as_ref())?,
            Value::Token(token) => {
                params.set_item(name, PyBytes::new(py, token.bytes().as_slice()))?;
            }
            Value::TooLarge(value) => params.set_item(name, value)?,
            Value::Null => params.set_item(name, py.None())?,
        }
    }
    Ok((query.text, params))
}

/// Reads a driver's row. Drivers differ in their types for flags, bytes, and texts kept as bytes.
fn row(row: &Bound<'_, PyDict>) -> Row {
    let columns = row.iter().map(|(name, value)| {
        let name = name.str().map(|name| name.to_string()).unwrap_or_default();
        let value = read(&name, &value);
        (name, value)
    });
    Row(columns.collect())
}

fn read(name: &str, value: &Bound<'_, PyAny>) -> Option<Value<'static>> {
    if value.is_none() {
        return Some(Value::Null);
    }
    // Includes flags: a `bool` is an `int`.
    if value.cast::<PyInt>().is_ok() {
        return value.extract().ok().map(Value::Int);
    }
    if let Ok(text) = value.cast::<PyString>() {
        return text.extract().ok().map(|text: String| Value::Text(Cow::Owned(text)));
    }
    let bytes: Vec<u8> = value.call_method0("__bytes__").unwrap_or(value.clone()).extract().ok()?;
    match name {
        "key" => bytes.try_into().ok().map(|key| Value::Token(Token::new(key))),
        _ => String::from_utf8(bytes).ok().map(|text| Value::Text(Cow::Owned(text))),
    }
}
