//! Layouts and the error table.

extern crate alloc;

use alloc::string::String;

use leafid_bindings::layouts::{self, Id, Known};
use leafid_bindings::{Answer, codes};
use leafid_core::{Layout, Refusal, StoreTime};
use leafid_wasm_border::{answer, from, tell_text, text};

use crate::known;

/// The fields of a layout, and the figures that follow from them. Every `layout` here is
/// `{ layout }`: the five fields, or a preset's name.
#[unsafe(export_name = "layoutFacts")]
pub extern "C" fn layout_facts(layout: u32) -> u32 {
    of(layout, |layout| Ok(Known(layout)))
}

/// `{ id }` of a time, a worker and a sequence number.
#[unsafe(no_mangle)]
pub extern "C" fn compose(layout: u32, time_ms: i64, worker: u32, sequence: u64) -> u32 {
    of(layout, |layout| layout.compose(StoreTime::new(time_ms), worker, sequence).map(Id))
}

/// The parts of an ID.
#[unsafe(no_mangle)]
pub extern "C" fn decompose(layout: u32, whole: u64) -> u32 {
    of(layout, |layout| layout.decompose(whole))
}

/// `{ id }`: the smallest of a time.
#[unsafe(export_name = "firstId")]
pub extern "C" fn first_id(layout: u32, time_ms: i64) -> u32 {
    of(layout, |layout| layout.first_id(StoreTime::new(time_ms)).map(Id))
}

/// `{ id }`: the largest of a time.
#[unsafe(export_name = "lastId")]
pub extern "C" fn last_id(layout: u32, time_ms: i64) -> u32 {
    of(layout, |layout| layout.last_id(StoreTime::new(time_ms)).map(Id))
}

/// Answers with the result of a call on a layout, or with the refusal.
fn of<A: Answer>(layout: u32, make: impl FnOnce(Layout) -> Result<A, Refusal>) -> u32 {
    answer(layouts::layout(from(layout)).and_then(|layout| Ok(make(layout)?)))
}

/// Tells every code, in the order of the table, separated by spaces.
#[unsafe(no_mangle)]
pub extern "C" fn codes() {
    let mut all = String::new();
    for code in codes::names() {
        if !all.is_empty() {
            all.push(' ');
        }
        all.push_str(code);
    }
    tell_text(&all);
}

/// Tells the code for an HTTP answer without one.
#[unsafe(export_name = "codeFromHttp")]
pub extern "C" fn code_from_http(status: u32) {
    tell_text(codes::from_http(status as u16));
}

/// Tells a refusal in words: what happened to the `tag` or `namespace` of this name, and what to do; of
/// any other kind, `name` is the subject of the sentence. The parcels are code, kind and name.
#[unsafe(no_mangle)]
pub extern "C" fn sentence(most: f64, wait_ms: f64) {
    let (name, kind, code) = (text(), text(), text());
    let (most, wait_ms) = (known(most).map(|n| n as u64), known(wait_ms).map(|ms| ms as u64));
    tell_text(&codes::sentence(&code, &kind, &name, most, wait_ms));
}

/// The meaning of a code: `{ http, permanent, stops, advice }`, or nothing if there is no such code. The
/// parcel is the code.
#[unsafe(export_name = "codeFacts")]
pub extern "C" fn code_facts() -> u32 {
    codes::facts(&text()).map_or(0, |facts| answer(Ok(facts)))
}
