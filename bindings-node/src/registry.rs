//! The store's side of the protocol: rows and asks in, rows and answers out, all plain objects.

use leafid_core::registry::{self, Candidates, Namespace, TagRow, Worker, WorkerRow};
use leafid_core::{
    Code, FieldReader, FieldWriter, Fields, HostTime, Name, Refusal, Release, RenewAsk, StoreTime,
    Token,
};
use napi::Result;
use napi::bindgen_prelude::{Env, Object};
use napi_derive::napi;

use crate::object::{self, Writing, Wrong};

/// Leases the next numbers of a tag: `{ row, grant }`, or the refusal.
#[napi]
pub fn lease_segment<'env>(
    env: &'env Env,
    store: String,
    row: Object<'env>,
    ask: Object<'env>,
    now_ms: f64,
) -> Result<Object<'env>> {
    let decided = (|| {
        let (row, ask) = (object::read::<TagRow>(row)?, object::read(ask)?);
        registry::lease_segment(token(&store)?, &row, &ask, millis(now_ms)).map_err(whole)
    })();
    answer(env, decided, |(row, grant), to| {
        to.nested("row", |to| row.put(to));
        to.nested("grant", |to| grant.put(to));
    })
}

/// Gives a worker number: `{ row, freed?, grant }`, each row with its `worker`, or the refusal.
/// `rows` has `mine`, `own`, `spare` and `rested`, each with its `worker`, as far as they are there.
#[napi]
pub fn acquire<'env>(
    env: &'env Env,
    store: String,
    namespace: Object<'env>,
    rows: Object<'env>,
    ask: Object<'env>,
    now_ms: f64,
) -> Result<Object<'env>> {
    let decided = (|| {
        let namespace = object::read::<Namespace>(namespace)?;
        let candidates = object::read_with(rows, Candidates::get)?;
        let ask = object::read(ask)?;
        let now = millis(now_ms);
        registry::acquire(token(&store)?, &namespace, &candidates, &ask, now).map_err(whole)
    })();
    answer(env, decided, |acquired, to| acquired.put(to))
}

/// Moves the end of a window forward: `{ row, grant }`, or the refusal.
#[napi]
pub fn renew<'env>(
    env: &'env Env,
    store: String,
    namespace: Object<'env>,
    row: Object<'env>,
    ask: Object<'env>,
    now_ms: f64,
) -> Result<Object<'env>> {
    let decided = (|| {
        let namespace = object::read::<Namespace>(namespace)?;
        let ask = object::read::<RenewAsk>(ask)?;
        let row = row_of(ask.worker, row)?;
        let (row, grant) = registry::renew(token(&store)?, &namespace, &row, &ask, millis(now_ms))
            .map_err(whole)?;
        Ok(((ask.worker, row), grant))
    })();
    answer(env, decided, |(worker, grant), to| {
        to.nested("row", |to| worker.put(to));
        to.nested("grant", |to| grant.put(to));
    })
}

/// Takes back the rest of a window: `{ row }`, or the refusal.
#[napi]
pub fn release<'env>(
    env: &'env Env,
    store: String,
    row: Object<'env>,
    ask: Object<'env>,
) -> Result<Object<'env>> {
    let decided = (|| {
        let ask = object::read::<Release>(ask)?;
        let row = row_of(ask.worker, row)?;
        let row = registry::release(token(&store)?, &row, &ask).map_err(whole)?;
        Ok((ask.worker, row))
    })();
    answer(env, decided, |worker, to| to.nested("row", |to| worker.put(to)))
}

/// The row of a new tag, or of one made anew over its tombstone: `{ row }`, or the refusal.
/// `wanted` has `from`, `step`, `max_step`, and `tag`, which is only looked at.
#[napi]
pub fn tag_row<'env>(
    env: &'env Env,
    before: Option<Object<'env>>,
    wanted: Object<'env>,
) -> Result<Object<'env>> {
    let decided = (|| {
        let before = before.map(object::read::<TagRow>).transpose()?;
        object::read_with(wanted, |from| {
            from.text("tag", Name::tag)?.transpose()?;
            let (first, step) = (from.big("from")?, from.small("step")?);
            TagRow::create(before.as_ref(), first, step, from.small("max_step")?)
        })
    })();
    answer(env, decided, |row, to| to.nested("row", |to| row.put(to)))
}

/// The row of a new namespace: `{ row }`, or the refusal. `wanted` has `layout`, `workers`,
/// `max_window_ms`, and `namespace`, which is only looked at.
#[napi]
pub fn namespace_row<'env>(env: &'env Env, wanted: Object<'env>) -> Result<Object<'env>> {
    let decided = object::read_with(wanted, |from| {
        from.text("namespace", Name::namespace)?.transpose()?;
        let layout = from.layout("layout")?.ok_or(Refusal::new(Code::RequestInvalid))?;
        let workers = from.nested("workers", leafid_core::Range::get)?;
        Namespace::create(layout, workers, from.small("max_window_ms")?)
    });
    answer(env, decided, |row, to| to.nested("row", |to| row.put(to)))
}

/// Whether a worker's row is kept from this owner, however long its window is over.
#[napi]
pub fn is_kept_from(row: Object<'_>, owner: String, now_ms: f64) -> bool {
    match (object::read::<WorkerRow>(row), Name::owner(&owner)) {
        (Ok(row), Ok(owner)) => row.is_kept_from(&owner, millis(now_ms)),
        _ => false,
    }
}

fn answer<'env, T>(
    env: &'env Env,
    decided: std::result::Result<T, Wrong>,
    write: impl FnOnce(T, &mut Writing<'env>),
) -> Result<Object<'env>> {
    match decided {
        Ok(value) => object::written(env, |to| write(value, to)),
        Err((refusal, field)) => object::refused(env, refusal, field),
    }
}

/// The row of the worker number that an ask names.
fn row_of(worker: u32, row: Object<'_>) -> std::result::Result<WorkerRow, Wrong> {
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

fn token(text: &str) -> std::result::Result<Token, Wrong> {
    Token::parse(text).map_err(|refusal| (refusal, "store"))
}

fn millis(ms: f64) -> StoreTime {
    StoreTime::new(ms as i64)
}
