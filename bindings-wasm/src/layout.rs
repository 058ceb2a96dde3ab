//! Layouts, and what IDs are made of. Each takes `{ layout }`: the five fields, or a preset's name.

use js_sys::Object;
use leafid_core::{FieldWriter, Fields, Layout, Parts, Refusal, StoreTime};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::object::{self, Writing};
use crate::verbs::layout_of;

fn answer<T>(
    layout: Object,
    act: impl FnOnce(Layout) -> Result<T, Refusal>,
    write: impl FnOnce(T, &mut Writing),
) -> Object {
    let read = object::read_with(layout, layout_of);
    match read.and_then(|layout| act(layout).map_err(|refusal| (refusal, ""))) {
        Ok(value) => object::written(|to| write(value, to)),
        Err((refusal, field)) => object::refused(refusal, field),
    }
}

fn id(id: u64, to: &mut Writing) {
    to.big("id", id);
}

/// The fields of a layout, and what follows from them.
#[wasm_bindgen(js_name = layoutFacts)]
pub fn layout_facts(layout: Object) -> Object {
    answer(layout, Ok, |layout, to| {
        layout.put(to);
        to.set("last_ms", layout.last().get());
        to.big("per_second", layout.per_second());
        to.big("workers", layout.workers());
    })
}

/// `{ id }` of a moment, a worker and a sequence number.
#[wasm_bindgen]
pub fn compose(layout: Object, time_ms: i64, worker: u32, sequence: u64) -> Object {
    answer(layout, |layout| layout.compose(StoreTime::new(time_ms), worker, sequence), id)
}

/// The parts of an ID.
#[wasm_bindgen]
pub fn decompose(layout: Object, whole: u64) -> Object {
    answer(
        layout,
        |layout| layout.decompose(whole),
        |parts, to| {
            let Parts { time, tick, worker, sequence } = parts;
            to.set("time_ms", time.get());
            to.big("tick", tick);
            to.number("worker", worker.into());
            to.big("sequence", sequence);
        },
    )
}

/// `{ id }`: the smallest that a moment can have.
#[wasm_bindgen(js_name = firstId)]
pub fn first_id(layout: Object, time_ms: i64) -> Object {
    answer(layout, |layout| layout.first_id(StoreTime::new(time_ms)), id)
}

/// `{ id }`: the largest that a moment can have.
#[wasm_bindgen(js_name = lastId)]
pub fn last_id(layout: Object, time_ms: i64) -> Object {
    answer(layout, |layout| layout.last_id(StoreTime::new(time_ms)), id)
}
