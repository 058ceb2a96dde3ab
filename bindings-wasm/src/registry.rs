//! The store's side of the protocol: rows and asks in, rows and answers out, all plain objects.

use js_sys::Object;
use leafid_core::registry::{self, Candidates, Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{
    Code, FieldReader, FieldWriter, Fields, HostTime, Name, Refusal, Release, RenewAsk, StoreTime,
    Token,
};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::object::{self, Writing, Wrong};

/// Leases the next numbers of a tag: `{ row, grant }`, or the refusal.
#[wasm_bindgen(js_name = leaseSegment)]
pub fn lease_segment(store: &str, row: Object, ask: Object, now_ms: f64) -> Object {
    let decided = (|| {
        let (row, ask) = (object::read::<TagRow>(row)?, object::read(ask)?);
        registry::lease_segment(token(store)?, &row, &ask, millis(now_ms)).map_err(whole)
    })();
    answer(decided, |(row, grant), to| {
        to.nested("row", |to| row.put(to));
        to.nested("grant", |to| grant.put(to));
    })
}

/// Gives a worker number: `{ row, freed?, grant }`, each row with its `worker`, or the refusal.
/// `rows` has `mine`, `own`, `spare` and `rested`, each with its `worker`, as far as they are there.
#[wasm_bindgen]
pub fn acquire(store: &str, namespace: Object, rows: Object, ask: Object, now_ms: f64) -> Object {
    let decided = (|| {
        let namespace = object::read::<Namespace>(namespace)?;
        let candidates = object::read_with(rows, Candidates::get)?;
        let ask = object::read(ask)?;
        let now = millis(now_ms);
        registry::acquire(token(store)?, &namespace, &candidates, &ask, now).map_err(whole)
    })();
    answer(decided, |acquired, to| acquired.put(to))
}

/// Moves the end of a window forward: `{ row, grant }`, or the refusal.
#[wasm_bindgen]
pub fn renew(store: &str, namespace: Object, row: Object, ask: Object, now_ms: f64) -> Object {
    let decided = (|| {
        let namespace = object::read::<Namespace>(namespace)?;
        let ask = object::read::<RenewAsk>(ask)?;
        let row = row_of(ask.worker, row)?;
        let (row, grant) = registry::renew(token(store)?, &namespace, &row, &ask, millis(now_ms))
            .map_err(whole)?;
        Ok(((ask.worker, row), grant))
    })();
    answer(decided, |(worker, grant), to| {
        to.nested("row", |to| worker.put(to));
        to.nested("grant", |to| grant.put(to));
    })
}

/// Takes back the rest of a window: `{ row }`, or the refusal.
#[wasm_bindgen]
pub fn release(store: &str, row: Object, ask: Object) -> Object {
    let decided = (|| {
        let ask = object::read::<Release>(ask)?;
        let row = row_of(ask.worker, row)?;
        let row = registry::release(token(store)?, &row, &ask).map_err(whole)?;
        Ok((ask.worker, row))
    })();
    answer(decided, |worker, to| to.nested("row", |to| worker.put(to)))
}

/// The row of a new tag, or of one made anew over its tombstone: `{ row }`, or the refusal.
/// `wanted` has `from`, `step`, `max_step`, and `tag`, which is only looked at.
#[wasm_bindgen(js_name = tagRow)]
pub fn tag_row(before: Option<Object>, wanted: Object) -> Object {
    let decided = (|| {
        let before = before.map(object::read::<TagRow>).transpose()?;
        object::read_with(wanted, |from| {
            from.text("tag", Name::tag)?.transpose()?;
            let (first, step) = (from.big("from")?, from.small("step")?);
            TagRow::create(before.as_ref(), first, step, from.small("max_step")?)
        })
    })();
    answer(decided, |row, to| to.nested("row", |to| row.put(to)))
}

/// The row of a new namespace: `{ row }`, or the refusal. `wanted` has `layout`, `workers`,
/// `max_window_ms`, and `namespace`, which is only looked at.
#[wasm_bindgen(js_name = namespaceRow)]
pub fn namespace_row(wanted: Object) -> Object {
    let decided = object::read_with(wanted, |from| {
        from.text("namespace", Name::namespace)?.transpose()?;
        let layout = from.layout("layout")?.ok_or(Refusal::new(Code::RequestInvalid))?;
        let workers = from.nested("workers", leafid_core::Range::get)?;
        Namespace::create(layout, workers, from.small("max_window_ms")?)
    });
    answer(decided, |row, to| to.nested("row", |to| row.put(to)))
}

/// Whether a worker's row is kept from this owner, however long its window is over.
#[wasm_bindgen(js_name = isKeptFrom)]
pub fn is_kept_from(row: Object, owner: &str, now_ms: f64) -> bool {
    match (object::read::<WorkerRow>(row), Name::owner(owner)) {
        (Ok(row), Ok(owner)) => row.is_kept_from(&owner, millis(now_ms)),
        _ => false,
    }
}

fn answer<T>(decided: Result<T, Wrong>, write: impl FnOnce(T, &mut Writing)) -> Object {
    match decided {
        Ok(value) => object::written(|to| write(value, to)),
        Err((refusal, field)) => object::refused(refusal, field),
    }
}

/// The row of the worker number that an ask names.
fn row_of(worker: u32, row: Object) -> Result<WorkerRow, Wrong> {
    let (number, row) = object::read::<Worker>(row)?;
    match number == worker {
        true => Ok(row),
        false => Err((Code::RequestInvalid.into(), "worker")),
    }
}

/// As plain data a time is a number, on whichever clock.
fn whole(refusal: Refusal<StoreTime>) -> Wrong {
    let until = refusal.until.map(|until| HostTime::new(until.get()));
    (Refusal { code: refusal.code, until }, "")
}

fn token(text: &str) -> Result<Token, Wrong> {
    Token::parse(text).map_err(|refusal| (refusal, "store"))
}

fn millis(ms: f64) -> StoreTime {
    StoreTime::new(ms as i64)
}
