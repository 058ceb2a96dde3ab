//! `leafid.registry`: the store's decisions as pure functions over plain dicts.

use leafid_bindings::Wrong;
use leafid_bindings::registry::{self, Leased, Row};
use leafid_core::{Code, StoreTime};
use leafid_wire::Fields;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::values::{Now, TokenArg, cut, dict, errors};

/// The new row, and the answer once it is durable: a grant, or an error to raise then.
type Verdict<'py> = (Bound<'py, PyDict>, Bound<'py, PyAny>);

/// Leases the next numbers of a tag: returns the new row, and the answer. Write the row, then give the
/// answer, or raise it if it is an error: the caller has numbers that were never granted here, and the
/// row records that, which stops the tag.
#[pyfunction]
pub fn lease_segment<'py>(
    py: Python<'py>,
    store: TokenArg,
    row: &Bound<'py, PyAny>,
    ask: &Bound<'py, PyAny>,
    now_ms: Now,
) -> PyResult<Verdict<'py>> {
    let (given, from) = (dict::from(row, "the row")?, dict::from(ask, "the ask")?);
    let decided = registry::lease_segment(&store.text(), given, from, StoreTime::new(now_ms.0));
    let decided = decided.map_err(|wrong| match wrong.refusal.code {
        Code::StoreRefused => stopped(row, ask),
        _ => Ok(refused(ask, wrong, now_ms.0)),
    });
    leased(py, ask, decided.or_else(|error| Err(error?))?)
}

/// The new row of an acquire, another row to write with it (or None), and the answer.
type Given<'py> = (Bound<'py, PyDict>, Option<Bound<'py, PyDict>>, Bound<'py, PyDict>);

/// Grants a worker number and a first window: returns its row (`worker` is the number), the row of
/// another number that this owner no longer keeps (or None; write both in one step), and the answer.
/// `candidates` are rows with their `worker`, as far as they exist: `mine`, with the ask's request as
/// its key; `own` and `spare`, which this owner keeps; `rested`, the number that is free, or will be
/// first.
#[pyfunction]
pub fn acquire<'py>(
    py: Python<'py>,
    store: TokenArg,
    namespace: &Bound<'py, PyAny>,
    candidates: &Bound<'py, PyAny>,
    ask: &Bound<'py, PyAny>,
    now_ms: Now,
) -> PyResult<Given<'py>> {
    let namespace = dict::from(namespace, "the namespace")?;
    let (rows, from) = (dict::from(candidates, "the candidates")?, dict::from(ask, "the ask")?);
    let now = StoreTime::new(now_ms.0);
    let acquired = registry::acquire(&store.text(), namespace, rows, from, now)
        .map_err(|wrong| refused(ask, wrong, now_ms.0))?;
    let freed = acquired.freed.map(|freed| written(py, &freed)).transpose()?;
    Ok((written(py, &acquired.worker)?, freed, written(py, &acquired.grant)?))
}

/// Extends a window: returns the new row, and the answer, as `lease_segment` does. The row has its
/// `worker`.
#[pyfunction]
pub fn renew<'py>(
    py: Python<'py>,
    store: TokenArg,
    namespace: &Bound<'py, PyAny>,
    row: &Bound<'py, PyAny>,
    ask: &Bound<'py, PyAny>,
    now_ms: Now,
) -> PyResult<Verdict<'py>> {
    let namespace = dict::from(namespace, "the namespace")?;
    let (row, from) = (dict::from(row, "the row")?, dict::from(ask, "the ask")?);
    let decided = registry::renew(&store.text(), namespace, row, from, StoreTime::new(now_ms.0));
    leased(py, ask, decided.map_err(|wrong| refused(ask, wrong, now_ms.0))?)
}

/// Takes back the unused part of a window: returns the new row, and the answer. The row has its
/// `worker`.
#[pyfunction]
#[pyo3(signature = (store, row, ask, now_ms = Now(0)), text_signature = "(store, row, ask, now_ms=0)")]
pub fn release<'py>(
    py: Python<'py>,
    store: TokenArg,
    row: &Bound<'py, PyAny>,
    ask: &Bound<'py, PyAny>,
    now_ms: Now,
) -> PyResult<Verdict<'py>> {
    let (row, from) = (dict::from(row, "the row")?, dict::from(ask, "the release")?);
    let Row(row) = registry::release(&store.text(), row, from)
        .map_err(|wrong| refused(ask, wrong, now_ms.0))?;
    Ok((written(py, &row)?, PyDict::new(py).into_any()))
}

/// The row of a new tag (`tag`, `from`, `step`, `max_step`, `until`), or of a tag that is created again
/// over its tombstone.
#[pyfunction]
#[pyo3(signature = (spec, before = None))]
pub fn tag_row<'py>(
    py: Python<'py>,
    spec: &Bound<'py, PyAny>,
    before: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let before = before.map(|row| dict::from(row, "the row before")).transpose()?;
    let spec = known(spec, &["tag", "from", "step", "max_step", "until"])?;
    let row = registry::tag_row(before, dict::from(spec, "the tag")?);
    written(py, &row.map_err(|wrong| refused(spec, wrong, 0))?.0)
}

/// The row of a new namespace (`namespace`, `layout`, `workers`, `max_window_ms`).
#[pyfunction]
pub fn namespace_row<'py>(
    py: Python<'py>,
    spec: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let spec = known(spec, &["namespace", "layout", "workers", "max_window_ms"])?;
    let row = registry::namespace_row(dict::from(spec, "the namespace")?);
    written(py, &row.map_err(|wrong| refused(spec, wrong, 0))?.0)
}

/// Refuses unknown fields: a misspelt one would be ignored silently.
fn known<'a, 'py>(spec: &'a Bound<'py, PyAny>, names: &[&str]) -> PyResult<&'a Bound<'py, PyAny>> {
    let Ok(dict) = spec.cast::<PyDict>() else { return Ok(spec) };
    for field in dict.keys() {
        let field = field.str()?.to_string_lossy().into_owned();
        if !names.contains(&field.as_str()) {
            let message =
                format!("unknown field {}: fields are `{}`", cut(&field), names.join("`, `"));
            return Err(errors::raise(Code::RequestInvalid, message));
        }
    }
    Ok(spec)
}

fn written<'py>(py: Python<'py>, row: &impl Fields) -> PyResult<Bound<'py, PyDict>> {
    dict::written(py, |to| row.put(to))
}

fn leased<'py>(
    py: Python<'py>,
    ask: &Bound<'py, PyAny>,
    decided: Leased<impl Fields, impl Fields>,
) -> PyResult<Verdict<'py>> {
    let answer = match decided.answer {
        Ok(grant) => written(py, &grant)?.into_any(),
        Err(refusal) => {
            refused(ask, refusal.code.into(), 0).into_value(py).into_bound(py).into_any()
        }
    };
    Ok((written(py, &decided.row)?, answer))
}

/// The error for a tag of which a holder has shown more than was granted. Only the holder vouches for
/// that figure, so the suggested command leaves it open.
fn stopped(row: &Bound<'_, PyAny>, ask: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    let (tag, stands) = (ask.get_item("tag")?, row.get_item("max_id")?);
    let claimed = row.get_item("claimed_until")?;
    let message = format!(
        "tag `{tag}` stands at {stands}, and a holder has shown numbers of it up to {claimed}: the \
         store has lost grants, so nothing is leased from the tag that may be in use; find its \
         largest number in use, and move it above: leafid tag advance {tag} --to N"
    );
    Ok(errors::raise(Code::StoreRefused, message))
}

fn refused(ask: &Bound<'_, PyAny>, wrong: Wrong, now_ms: i64) -> PyErr {
    let wait = wrong.refusal.until.map(|until| until.get().saturating_sub(now_ms).max(0));
    let retry_after_ms = wait.and_then(|ms| u32::try_from(ms).ok());
    errors::of(dict::wrong_ask(wrong, ask).retry_after_ms(retry_after_ms))
}
