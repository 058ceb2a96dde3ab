//! Asks, answers and the end of a generator: everything but drawing.

use js_sys::Object;
use leafid_core::{
    Carryover, Code, FieldReader, FieldWriter, Grant, HostTime, Layout, Outcome, SegmentGrant,
    Token, WindowGrant,
};
use leafid_core::{Fields, Refusal};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::object;
use crate::table::{self, Generator, each};

/// Whether an ask is due.
#[wasm_bindgen(js_name = wantsAsk)]
pub fn wants_ask(handle: u32, now: f64) -> bool {
    let now = HostTime::new(now as i64);
    table::with(handle, |slot| each!(&slot.generator, g => g.wants_ask(now))).unwrap_or(false)
}

/// When the next ask is due (host's clock), `undefined` while only drawing can make it so.
#[wasm_bindgen(js_name = pollAt)]
pub fn poll_at(handle: u32) -> Option<i64> {
    let due = table::with(handle, |slot| each!(&slot.generator, g => g.poll_at())).flatten();
    due.map(|at| at.get())
}

/// What to ask the store for now: its fields and `ask`, or `undefined`. `entropy` are 16 random bytes.
#[wasm_bindgen(js_name = pollAsk)]
pub fn poll_ask(handle: u32, now: f64, entropy: &[u8]) -> Option<Object> {
    let (now, entropy) = (HostTime::new(now as i64), sixteen(entropy));
    let ask = table::with(handle, |slot| each!(&mut slot.generator, g => g.poll_ask(now, entropy)));
    ask.flatten().map(|ask| object::written(|to| ask.put(to)))
}

/// Applies the answer to the ask of this request: `{ outcome, release? }`, or the refusal, whose
/// `field` names what could not be read.
#[wasm_bindgen(js_name = handleGrant)]
pub fn handle_grant(handle: u32, request: &str, answer: Object, sent: f64, now: f64) -> Object {
    let (sent, now) = (HostTime::new(sent as i64), HostTime::new(now as i64));
    let numbers = table::with(handle, |slot| matches!(slot.generator, Generator::Segment(_)));
    let grant = match numbers {
        Some(true) => object::read::<SegmentGrant>(answer).map(Grant::Segment),
        _ => object::read::<WindowGrant>(answer).map(Grant::Window),
    };
    let grant = match grant {
        Ok(grant) => grant,
        Err((_, field)) => {
            fail(handle, request, Code::GrantInvalid, None, now);
            return object::refused(Code::GrantInvalid.into(), field);
        }
    };
    let outcome = table::with(
        handle,
        |slot| each!(&mut slot.generator, g => g.handle_grant(&grant, sent, now)),
    );
    match outcome.unwrap_or(Ok(Outcome::Ignored)) {
        Ok(outcome) => object::written(|to| match outcome {
            Outcome::Applied => to.text("outcome", "applied"),
            Outcome::Ignored => to.text("outcome", "ignored"),
            Outcome::Release(release) => {
                to.text("outcome", "release");
                to.nested("release", |to| release.put(to));
            }
        }),
        Err(refusal) => object::refused(refusal, ""),
    }
}

/// Notes that the ask of this request failed.
#[wasm_bindgen(js_name = handleFailure)]
pub fn handle_failure(
    handle: u32,
    request: &str,
    code: &str,
    retry_after_ms: Option<f64>,
    now: f64,
) {
    let code = Code::parse(code).unwrap_or(Code::Internal);
    fail(handle, request, code, retry_after_ms.map(|ms| ms as u32), HostTime::new(now as i64));
}

fn fail(handle: u32, request: &str, code: Code, retry_after_ms: Option<u32>, now: HostTime) {
    let Ok(request) = Token::parse(request) else { return };
    table::with(handle, |slot| {
        each!(&mut slot.generator, g => g.handle_failure(request, code, retry_after_ms, now));
    });
}

/// Graceful stop: the release to send, or `undefined`.
#[wasm_bindgen]
pub fn retire(handle: u32) -> Option<Object> {
    let release = table::with(handle, |slot| each!(&mut slot.generator, g => g.retire())).flatten();
    release.map(|release| object::written(|to| release.put(to)))
}

/// Drops every right and the ask that is out.
#[wasm_bindgen]
pub fn forget(handle: u32) {
    table::with(handle, |slot| each!(&mut slot.generator, g => g.forget()));
}

/// The host was suspended: what was not due yet is.
#[wasm_bindgen]
pub fn resumed(handle: u32) {
    table::with(handle, |slot| each!(&mut slot.generator, g => g.resumed()));
}

/// What another instance of this generator may know: `store`, `position`, `have_until`.
#[wasm_bindgen]
pub fn carryover(handle: u32) -> Object {
    let before = table::with(handle, |slot| each!(&slot.generator, g => g.carryover()));
    object::written(|to| before.unwrap_or_default().put(to))
}

/// Takes over what another instance of this generator knew, and goes on above the highest ID that
/// it handed out, whose layout was this.
#[wasm_bindgen]
pub fn resume(handle: u32, before: Object, highest: Option<u64>, layout: Option<Object>) {
    let before = object::read::<Carryover>(before).unwrap_or_default();
    let layout = layout.and_then(|layout| object::read::<Layout>(layout).ok());
    table::with(handle, |slot| {
        let before = match (highest, &slot.generator) {
            (Some(id), Generator::Segment(_)) => before.above(id, None),
            // Nothing was drawn before the first window said which layout it has.
            (Some(id), Generator::Snowflake(_)) if layout.is_some() => {
                before.above(id, layout.as_ref())
            }
            _ => before,
        };
        each!(&mut slot.generator, g => g.resume(before));
    });
}

/// The layout of a snowflake generator, once it is known.
#[wasm_bindgen(js_name = layoutInUse)]
pub fn layout_in_use(handle: u32) -> Option<Object> {
    let layout = table::with(handle, |slot| match &slot.generator {
        Generator::Snowflake(ids) => ids.layout(),
        Generator::Segment(_) => None,
    });
    layout.flatten().map(|layout| object::written(|to| layout.put(to)))
}

/// Why asking fails, until an ask succeeds.
#[wasm_bindgen]
pub fn failing(handle: u32) -> Option<String> {
    let code = table::with(handle, |slot| each!(&slot.generator, g => g.failure())).flatten();
    code.map(|code| code.as_str().to_owned())
}

/// The counters.
#[wasm_bindgen]
pub fn stats(handle: u32) -> Object {
    match table::with(handle, |slot| each!(&slot.generator, g => g.stats())) {
        Some(stats) => object::written(|to| stats.put(to)),
        None => object::refused(Refusal::new(Code::Closed), ""),
    }
}

fn sixteen(bytes: &[u8]) -> [u8; 16] {
    let mut sixteen = [0; 16];
    sixteen.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
    sixteen
}

/// Reads an object's layout, which may be the name of a preset: `layout` of it.
pub(crate) fn layout_of(from: &mut impl FieldReader) -> Result<Layout, Refusal> {
    from.layout("layout")?.ok_or(Refusal::new(Code::LayoutInvalid))
}
