//! Generators named by handles.

extern crate alloc;

use alloc::vec::Vec;
use core::cell::RefCell;

use leafid_bindings::Handles;
use leafid_core::Action;
use leafid_wasm_border::{Alone, answer, from, given, parcel, tell_moment, tell_text, text};

use crate::{host, known};

static HANDLES: Alone<Handles> = Alone(Handles::new());

/// The buffer from which the host reads IDs.
static IDS: Alone<RefCell<Vec<u64>>> = Alone(RefCell::new(Vec::new()));

/// Builds a generator of the kind in the parcel, under a handle that the caller chose. Returns
/// nothing, or the refusal.
#[unsafe(no_mangle)]
pub extern "C" fn create(handle: u32, config: u32, seed: u64) -> u32 {
    let created = HANDLES.0.create(handle, &text(), from(config), seed);
    created.err().map_or(0, |wrong| answer(Ok(wrong)))
}

/// Drops a generator.
#[unsafe(no_mangle)]
pub extern "C" fn free(handle: u32) {
    HANDLES.0.free(handle);
}

/// The address where `fill` and `fillAvailable` write, with room for at least `n` IDs.
#[unsafe(no_mangle)]
pub extern "C" fn ids(n: usize) -> *const u64 {
    let mut ids = IDS.0.borrow_mut();
    if ids.len() < n {
        ids.resize(n, 0);
    }
    ids.as_ptr()
}

fn filled(n: usize, fill: impl FnOnce(&mut [u64]) -> u32) -> u32 {
    IDS.0.borrow_mut().get_mut(..n).map_or(0, fill)
}

/// Writes `n` IDs, in order. Returns `n`, or 0 with nothing spent; the highest bit is set if `poll` has
/// an ask.
#[unsafe(no_mangle)]
pub extern "C" fn fill(handle: u32, now: f64, n: usize) -> u32 {
    filled(n, |out| HANDLES.0.fill(handle, host(now), out))
}

/// Writes up to `n` IDs that are at hand, in order. Returns how many; the highest bit is set if `poll`
/// has an ask.
#[unsafe(export_name = "fillAvailable")]
pub extern "C" fn fill_available(handle: u32, now: f64, n: usize) -> u32 {
    filled(n, |out| HANDLES.0.fill_available(handle, host(now), out))
}

/// Whether `n` IDs can be had at once now.
#[unsafe(no_mangle)]
pub extern "C" fn ready(handle: u32, now: f64, n: f64) -> bool {
    HANDLES.0.ready(handle, host(now), n as u64)
}

/// The most IDs that can be had at once, as far as is known.
#[unsafe(no_mangle)]
pub extern "C" fn most(handle: u32) -> f64 {
    HANDLES.0.most(handle) as f64
}

/// Why the last `fill`, `fillAvailable` or `ready` gave nothing.
#[unsafe(no_mangle)]
pub extern "C" fn refusal(handle: u32) -> u32 {
    answer(Ok(HANDLES.0.refusal(handle)))
}

/// Until when the IDs of the last fill are timely, on the host's clock: the end of the first ID's
/// tick. Set only for several snowflakes.
#[unsafe(export_name = "goodUntil")]
pub extern "C" fn good_until(handle: u32) -> f64 {
    HANDLES.0.good_until(handle).get() as f64
}

/// Whether `poll` has an ask.
#[unsafe(no_mangle)]
pub extern "C" fn wants(handle: u32, now: f64) -> bool {
    HANDLES.0.wants(handle, host(now))
}

/// Tells when the next ask is due (host's clock); nothing while only drawing can make it due.
#[unsafe(export_name = "pollAt")]
pub extern "C" fn poll_at(handle: u32) {
    if let Some(at) = HANDLES.0.poll_at(handle) {
        tell_moment(at.get());
    }
}

/// The ask to send now: its fields, with its type as `ask`; or nothing. The parcel is 16 random bytes.
#[unsafe(no_mangle)]
pub extern "C" fn poll(handle: u32, now: f64) -> u32 {
    let action = HANDLES.0.poll(handle, host(now), &parcel());
    action.and_then(Action::ask).map_or(0, |ask| answer(Ok(ask)))
}

/// Applies the answer to the ask of the request in the parcel: `{ outcome, release? }`, or the
/// refusal, with the `field` that could not be read.
#[unsafe(export_name = "handleGrant")]
pub extern "C" fn handle_grant(handle: u32, grant: u32, sent: f64, now: f64) -> u32 {
    answer(HANDLES.0.handle_grant(handle, &text(), from(grant), host(sent), host(now)))
}

/// Notes that the ask of a request failed; the parcels are the request and the code.
#[unsafe(export_name = "handleFailure")]
pub extern "C" fn handle_failure(handle: u32, retry_after_ms: f64, now: f64) {
    let (code, request) = (text(), text());
    let after = known(retry_after_ms).map(|ms| ms as u32);
    HANDLES.0.handle_failure(handle, &request, &code, after, host(now));
}

/// Stops for good; returns the release to send, or nothing.
#[unsafe(no_mangle)]
pub extern "C" fn retire(handle: u32) -> u32 {
    HANDLES.0.retire(handle).map_or(0, |release| answer(Ok(release)))
}

/// Drops everything in hand, and the ask that is out.
#[unsafe(no_mangle)]
pub extern "C" fn forget(handle: u32) {
    HANDLES.0.forget(handle);
}

/// Notes a leap of the host's clock: makes a renewal due.
#[unsafe(no_mangle)]
pub extern "C" fn resumed(handle: u32) {
    HANDLES.0.resumed(handle);
}

/// How many ms the wall clock leapt since the last look; a leap makes a renewal due.
#[unsafe(no_mangle)]
pub extern "C" fn look(handle: u32, ticking: f64, wall: f64) -> f64 {
    HANDLES.0.look(handle, host(ticking), host(wall)) as f64
}

/// The facts that another instance may take over: `store`, `position`, `have_until`.
#[unsafe(no_mangle)]
pub extern "C" fn carryover(handle: u32) -> u32 {
    answer(Ok(HANDLES.0.carryover(handle)))
}

/// Takes over the facts of another instance, and goes on above the highest ID that it handed out, in
/// this layout: nothing, or the refusal.
#[unsafe(no_mangle)]
pub extern "C" fn resume(
    handle: u32,
    before: u32,
    has_highest: bool,
    highest: u64,
    layout: u32,
) -> u32 {
    let highest = has_highest.then_some(highest);
    let resumed = HANDLES.0.resume(handle, from(before), highest, given(layout));
    resumed.err().map_or(0, |wrong| answer(Ok(wrong)))
}

/// The layout of a snowflake generator, once it is known.
#[unsafe(export_name = "layoutInUse")]
pub extern "C" fn layout_in_use(handle: u32) -> u32 {
    HANDLES.0.layout_in_use(handle).map_or(0, |layout| answer(Ok(layout)))
}

/// Decides whether the caller of a refused draw raises (`{ code }`) or waits (`{ until? }`), once the
/// ask that is due was sent. The parcel is the code of the refusal.
#[unsafe(no_mangle)]
pub extern "C" fn stance(handle: u32, until: f64, now: f64) -> u32 {
    answer(Ok(HANDLES.0.stance(handle, &text(), known(until).map(host), host(now))))
}

/// Tells why the last ask failed, until one succeeds.
#[unsafe(no_mangle)]
pub extern "C" fn failing(handle: u32) {
    if let Some(code) = HANDLES.0.failing(handle) {
        tell_text(code.as_str());
    }
}

/// The counters.
#[unsafe(no_mangle)]
pub extern "C" fn stats(handle: u32) -> u32 {
    answer(HANDLES.0.stats(handle))
}
