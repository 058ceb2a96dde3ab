//! Generators behind handles.

use js_sys::Object;
use leafid_bindings::Handles;
use leafid_core::HostTime;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::object::{answer, from, host};

thread_local! {
    static HANDLES: Handles = const { Handles::new() };
}

/// Builds a generator under a handle that the caller chose: `undefined`, or the refusal.
#[wasm_bindgen]
pub fn create(handle: u32, kind: &str, config: Object, seed: u64) -> Option<Object> {
    let created = HANDLES.with(|all| all.create(handle, kind, from(config), seed));
    created.err().map(|wrong| answer(Ok(wrong)))
}

/// Drops a generator.
#[wasm_bindgen]
pub fn free(handle: u32) {
    HANDLES.with(|all| all.free(handle));
}

/// Fills all of `out`, in order: its length, or 0 with nothing written or spent. The highest bit of
/// the result says that an ask is due.
#[wasm_bindgen]
pub fn fill(handle: u32, now: f64, out: &mut [u64]) -> u32 {
    HANDLES.with(|all| all.fill(handle, host(now), out))
}

/// Fills as much of `out` as there are IDs at hand, in order: how many. The highest bit of the result
/// says that an ask is due.
#[wasm_bindgen(js_name = fillAvailable)]
pub fn fill_available(handle: u32, now: f64, out: &mut [u64]) -> u32 {
    HANDLES.with(|all| all.fill_available(handle, host(now), out))
}

/// Whether `n` IDs can be had at once now.
#[wasm_bindgen]
pub fn ready(handle: u32, now: f64, n: f64) -> bool {
    HANDLES.with(|all| all.ready(handle, host(now), n as u64))
}

/// How many IDs can be had at once, as far as is known.
#[wasm_bindgen]
pub fn most(handle: u32) -> f64 {
    HANDLES.with(|all| all.most(handle)) as f64
}

/// Why the last `fill`, `fillAvailable` or `ready` gave nothing.
#[wasm_bindgen]
pub fn refusal(handle: u32) -> Object {
    answer(Ok(HANDLES.with(|all| all.refusal(handle))))
}

/// Until when the IDs of the last filling are timely, on the host's clock: the end of the first ID's
/// tick. Known for snowflakes, and for more than one ID.
#[wasm_bindgen(js_name = goodUntil)]
pub fn good_until(handle: u32) -> f64 {
    HANDLES.with(|all| all.good_until(handle)).get() as f64
}

/// Whether an ask is due.
#[wasm_bindgen(js_name = wantsAsk)]
pub fn wants_ask(handle: u32, now: f64) -> bool {
    HANDLES.with(|all| all.wants_ask(handle, host(now)))
}

/// When the next ask is due (host's clock), `undefined` while only drawing can make it so.
#[wasm_bindgen(js_name = pollAt)]
pub fn poll_at(handle: u32) -> Option<i64> {
    HANDLES.with(|all| all.poll_at(handle)).map(HostTime::get)
}

/// What to ask the store for now: its fields and `ask`, or `undefined`. `entropy` is 16 random bytes.
#[wasm_bindgen(js_name = pollAsk)]
pub fn poll_ask(handle: u32, now: f64, entropy: &[u8]) -> Option<Object> {
    HANDLES.with(|all| all.poll_ask(handle, host(now), entropy)).map(|ask| answer(Ok(ask)))
}

/// Applies the answer to the ask of this request: `{ outcome, release? }`, or the refusal, whose
/// `field` names what could not be read.
#[wasm_bindgen(js_name = handleGrant)]
pub fn handle_grant(handle: u32, request: &str, grant: Object, sent: f64, now: f64) -> Object {
    let (sent, now) = (host(sent), host(now));
    answer(HANDLES.with(|all| all.handle_grant(handle, request, from(grant), sent, now)))
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
    let after = retry_after_ms.map(|ms| ms as u32);
    HANDLES.with(|all| all.handle_failure(handle, request, code, after, host(now)));
}

/// Stops for good: the release to send, or `undefined`.
#[wasm_bindgen]
pub fn retire(handle: u32) -> Option<Object> {
    HANDLES.with(|all| all.retire(handle)).map(|release| answer(Ok(release)))
}

/// Drops everything in hand, and the ask that is out.
#[wasm_bindgen]
pub fn forget(handle: u32) {
    HANDLES.with(|all| all.forget(handle));
}

/// The host was suspended: an ask that was not due yet is due.
#[wasm_bindgen]
pub fn resumed(handle: u32) {
    HANDLES.with(|all| all.resumed(handle));
}

/// A lease was granted, at these readings of the host's monotonic and wall clock.
#[wasm_bindgen]
pub fn leased(handle: u32, now: f64, wall: f64) {
    HANDLES.with(|all| all.leased(handle, host(now), host(wall)));
}

/// Whether the host was suspended since the last lease; then an ask is due.
#[wasm_bindgen]
pub fn look(handle: u32, now: f64, wall: f64) -> bool {
    HANDLES.with(|all| all.look(handle, host(now), host(wall)))
}

/// What another instance of this generator may know: `store`, `position`, `have_until`.
#[wasm_bindgen]
pub fn carryover(handle: u32) -> Object {
    answer(Ok(HANDLES.with(|all| all.carryover(handle))))
}

/// Takes over what another instance of this generator knew, and goes on above the highest ID that
/// it handed out in this layout: nothing, or the refusal.
#[wasm_bindgen]
pub fn resume(
    handle: u32,
    before: Object,
    highest: Option<u64>,
    layout: Option<Object>,
) -> Option<Object> {
    let resumed = HANDLES.with(|all| all.resume(handle, from(before), highest, layout.map(from)));
    resumed.err().map(|wrong| answer(Ok(wrong)))
}

/// The layout of a snowflake generator, once it is known.
#[wasm_bindgen(js_name = layoutInUse)]
pub fn layout_in_use(handle: u32) -> Option<Object> {
    HANDLES.with(|all| all.layout_in_use(handle)).map(|layout| answer(Ok(layout)))
}

/// Whether the caller of a refused draw raises (`{ code }`) or waits (`{ until? }`), once the ask
/// that is due was sent.
#[wasm_bindgen]
pub fn stance(handle: u32, code: &str, until: Option<f64>, now: f64) -> Object {
    answer(Ok(HANDLES.with(|all| all.stance(handle, code, until.map(host), host(now)))))
}

/// Why asking fails, until an ask succeeds.
#[wasm_bindgen]
pub fn failing(handle: u32) -> Option<String> {
    HANDLES.with(|all| all.failing(handle)).map(|code| code.as_str().to_owned())
}

/// The counters.
#[wasm_bindgen]
pub fn stats(handle: u32) -> Object {
    answer(HANDLES.with(|all| all.stats(handle)))
}
