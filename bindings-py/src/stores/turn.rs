//! One request to a store over SQL: the texts for Python's drivers, and the answer.

use std::borrow::Cow;
use std::path::PathBuf;

use leafid::Error;
use leafid::host::{owner, random};
use leafid_bindings::sql::Row;
use leafid_bindings::turn::{self, Reply};
use leafid_core::{StoreTime, Token};
use leafid_state::journal;
use leafid_turn::alone::Alone;
use leafid_turn::guest::Guest;
use leafid_turn::problem::Problem;
use leafid_turn::sql::columns::Value;
use leafid_turn::sql::{Query, Step};
use leafid_wire::FieldWriter as _;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyList, PyString};

use crate::values::{Now, OrRaise as _, TokenArg, dict, errors, outside};

type Asked<'py> = (&'static str, Bound<'py, PyDict>);
/// Whether rows were written, the answer or refusal to give once that is durable, what the request `noted`
/// takes where servers have to note it first, and what a journal has to.
type Decided<'py> = (bool, Bound<'py, PyAny>, Option<Bound<'py, PyDict>>, String);

/// Decides a request in a transaction: `run` takes the name of a text and its parameters, and returns the rows
/// as dicts, and how many it found or wrote. Gives whether it wrote, and the answer (fields, a list of them, or
/// None) or the refusal, for when the writes are durable. None if a row has changed since it was read. `guest` is the
/// id of this store's record, where the store may have servers.
#[pyfunction]
#[pyo3(signature = (is_leaf, store, now_ms, verb, ask, run, guest = None))]
pub fn decide<'py>(
    is_leaf: bool,
    store: TokenArg,
    now_ms: Now,
    verb: &str,
    ask: &Bound<'py, PyAny>,
    run: &Bound<'py, PyAny>,
    guest: Option<TokenArg>,
) -> PyResult<Option<Decided<'py>>> {
    let py = ask.py();
    let decide = turn::request(verb, dict::from(ask, "the ask")?)
        .map_err(|wrong| dict::wrong_ask(wrong, ask))
        .or_raise()?;
    let guest = match guest {
        Some(TokenArg(id)) => {
            let [a, b, c, d, ..] = random::entropy().or_raise()?;
            let name = owner::name().map(|name| name.as_str().to_owned()).unwrap_or_default();
            Some(Guest { id, salt: u32::from_le_bytes([a, b, c, d]), name })
        }
        None => None,
    };
    let mut alone = Alone::new(is_leaf, store.0, StoreTime::new(now_ms.0), guest.clone(), decide);
    let run = |query: &Query| -> PyResult<(Vec<Bound<'py, PyDict>>, i64)> {
        outside::call(run, asked(py, query)?, None)?.extract()
    };
    loop {
        let reads = alone.reads();
        if reads.is_empty() {
            break;
        }
        let found = reads.iter().map(|query| Ok(run(query)?.0.iter().map(row).collect()));
        alone.learn(&found.collect::<PyResult<Vec<Vec<Row>>>>()?);
    }
    let mut wrote = false;
    for step in alone.steps() {
        let (rows, count) = run(step.query())?;
        wrote |= !matches!(step, Step::Find(_));
        let is_stale = match step {
            Step::Find(_) => rows.is_empty(),
            Step::Write(_) => count < 1,
            Step::Adjust(_) => false,
        };
        if is_stale {
            return Ok(None);
        }
    }
    let waits = match (guest, alone.waits()) {
        (Some(guest), Some(waits)) => Some(dict::written(py, |to| {
            to.token("guest", guest.id);
            to.text("beat", &waits.beat.to_string());
            to.number("generation", waits.generation);
        })?),
        _ => None,
    };
    let changes = turn::changes(&alone);
    Ok(Some((wrote, answered(py, alone.answer())?, waits, changes)))
}

/// The absolute path of a folder for journals.
#[pyfunction]
pub fn journal_folder(path: PathBuf) -> PyResult<PathBuf> {
    journal::folder(&path).map_err(|why| errors::raise(why.code, why.message))
}

/// Notes the changes of a request in the journal in this folder, before it is answered; gives what `raise` takes if
/// it has to be decided again.
#[pyfunction]
pub fn note(
    py: Python<'_>,
    journal: PathBuf,
    store: TokenArg,
    changes: &str,
) -> PyResult<Option<String>> {
    let noted = py.detach(|| journal::note(&journal, store.0, changes));
    noted.map_err(|why| errors::raise(why.code, why.message))
}

/// An answer as fields, a list of them, or None; a refusal as the error to raise.
fn answered<'py>(py: Python<'py>, answer: Result<Reply, Problem>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match answer {
        Err(problem) => errors::of(failed(problem)).into_value(py).into_bound(py).into_any(),
        Ok(Reply::Done) => py.None().into_bound(py),
        Ok(Reply::Tags(rows)) => {
            let listed = PyList::empty(py);
            for (tag, row) in rows {
                listed.append(dict::written(py, |to| Reply::Tag(tag, row).put(to))?)?;
            }
            listed.into_any()
        }
        Ok(reply) => dict::written(py, |to| reply.put(to))?.into_any(),
    })
}

/// A refusal in the store's words.
pub fn failed(problem: Problem) -> Error {
    let until_ms = problem.free_at.map(StoreTime::get);
    let wait_ms = problem.free_at.and(problem.retry_after_ms);
    Error::new(problem.code, problem.detail).until_ms(until_ms).retry_after_ms(wait_ms)
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
        "key" | "server" => bytes.try_into().ok().map(|key| Value::Token(Token::new(key))),
        _ => String::from_utf8(bytes).ok().map(|text| Value::Text(Cow::Owned(text))),
    }
}
