//! Layouts, and what IDs are made of. Each takes `{ layout }`: the five fields, or a preset's name.

use leafid_core::{FieldWriter, Fields, Layout, Parts, Refusal, StoreTime};
use napi::Result;
use napi::bindgen_prelude::{BigInt, Env, Object};
use napi_derive::napi;

use crate::object::{self, Writing, bits};
use crate::verbs::layout_of;

fn answer<'env, T>(
    env: &'env Env,
    layout: Object<'env>,
    act: impl FnOnce(Layout) -> std::result::Result<T, Refusal>,
    write: impl FnOnce(T, &mut Writing<'env>),
) -> Result<Object<'env>> {
    let read = object::read_with(layout, layout_of);
    match read.and_then(|layout| act(layout).map_err(|refusal| (refusal, ""))) {
        Ok(value) => object::written(env, |to| write(value, to)),
        Err((refusal, field)) => object::refused(env, refusal, field),
    }
}

fn id(id: u64, to: &mut Writing<'_>) {
    to.big("id", id);
}

/// The time in whole ms; what lies beyond 64 bits overflows any layout.
fn millis(time: &BigInt) -> StoreTime {
    match time.get_i64() {
        (ms, true) => StoreTime::new(ms),
        _ => StoreTime::MAX,
    }
}

/// The fields of a layout, and what follows from them.
#[napi]
pub fn layout_facts<'env>(env: &'env Env, layout: Object<'env>) -> Result<Object<'env>> {
    answer(env, layout, Ok, |layout, to| {
        layout.put(to);
        to.set("last_ms", BigInt::from(layout.last().get()));
        to.big("per_second", layout.per_second());
        to.big("workers", layout.workers());
    })
}

/// `{ id }` of a moment, a worker and a sequence number.
#[napi]
pub fn compose<'env>(
    env: &'env Env,
    layout: Object<'env>,
    time_ms: BigInt,
    worker: u32,
    sequence: BigInt,
) -> Result<Object<'env>> {
    let sequence = bits(&sequence).unwrap_or(u64::MAX);
    answer(env, layout, |layout| layout.compose(millis(&time_ms), worker, sequence), id)
}

/// The parts of an ID.
#[napi]
pub fn decompose<'env>(
    env: &'env Env,
    layout: Object<'env>,
    whole: BigInt,
) -> Result<Object<'env>> {
    let whole = bits(&whole).unwrap_or(u64::MAX);
    answer(
        env,
        layout,
        |layout| layout.decompose(whole),
        |parts, to| {
            let Parts { time, tick, worker, sequence } = parts;
            to.set("time_ms", BigInt::from(time.get()));
            to.big("tick", tick);
            to.number("worker", worker.into());
            to.big("sequence", sequence);
        },
    )
}

/// `{ id }`: the smallest that a moment can have.
#[napi]
pub fn first_id<'env>(
    env: &'env Env,
    layout: Object<'env>,
    time_ms: BigInt,
) -> Result<Object<'env>> {
    answer(env, layout, |layout| layout.first_id(millis(&time_ms)), id)
}

/// `{ id }`: the largest that a moment can have.
#[napi]
pub fn last_id<'env>(
    env: &'env Env,
    layout: Object<'env>,
    time_ms: BigInt,
) -> Result<Object<'env>> {
    answer(env, layout, |layout| layout.last_id(millis(&time_ms)), id)
}
