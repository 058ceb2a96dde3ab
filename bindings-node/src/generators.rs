//! Generators named by handles.

use leafid_core::Action;
use napi::bindgen_prelude::{BigInt, Env, Object};
use napi_derive::napi;

use crate::HANDLES;
use crate::object::{Given, Maybe, answer, bits, env, from, host, maybe};
use crate::state::begin;

/// Builds a generator under a handle that the caller chose: `null`, or the refusal.
#[napi(ts_return_type = "object | null")]
pub fn create<'e>(handle: u32, kind: String, config: Object<'e>, seed: BigInt) -> Maybe<'e> {
    let created = HANDLES.with(|all| all.create(handle, &kind, from(config), bits(&seed)));
    maybe(&env(&config), created.err())
}

/// Drops a generator.
#[napi]
pub fn free(handle: u32) {
    HANDLES.with(|all| all.free(handle));
    crate::state::state_close(handle);
}

/// Whether `n` IDs can be had at once now.
#[napi]
pub fn ready(handle: u32, now: f64, n: f64) -> bool {
    HANDLES.with(|all| all.ready(handle, host(now), n as u64))
}

/// The most IDs that can be had at once, as far as is known.
#[napi]
pub fn most(handle: u32) -> f64 {
    HANDLES.with(|all| all.most(handle)) as f64
}

/// Why the last `fill`, `fillAvailable` or `ready` gave nothing.
#[napi(ts_return_type = "object")]
pub fn refusal<'e>(env: &'e Env, handle: u32) -> Given<'e> {
    answer(env, Ok(HANDLES.with(|all| all.refusal(handle))))
}

/// Until when the IDs of the last fill are timely, on the host's clock: the end of the first ID's
/// tick. Set only for several snowflakes.
#[napi]
pub fn good_until(handle: u32) -> f64 {
    HANDLES.with(|all| all.good_until(handle)).get() as f64
}

/// Whether `poll` has an action.
#[napi]
pub fn wants(handle: u32, now: f64) -> bool {
    HANDLES.with(|all| all.wants(handle, host(now)))
}

/// When `poll` has an action next (host's clock); `null` while only drawing can cause one.
#[napi]
pub fn poll_at(handle: u32) -> Option<BigInt> {
    HANDLES.with(|all| all.poll_at(handle)).map(|at| at.get().into())
}

/// The next action, or `null`: an ask's fields, with its type as `ask`; or `{ ask: "write" }`, when a
/// write of the state file was begun. `entropy` is 16 random bytes.
#[napi(ts_return_type = "object | null")]
pub fn poll<'e>(env: &'e Env, handle: u32, now: f64, entropy: &[u8]) -> Maybe<'e> {
    match HANDLES.with(|all| all.poll(handle, host(now), entropy)) {
        Some(Action::Write(write)) => {
            begin(handle, write);
            let mut told = Object::new(env)?;
            told.set("ask", "write")?;
            Ok(Some(told))
        }
        action => maybe(env, action.and_then(Action::ask)),
    }
}

/// Applies the answer to the ask of this request: `{ outcome, release? }`, or the refusal, with the
/// `field` that could not be read.
#[napi(ts_return_type = "object")]
pub fn handle_grant<'e>(
    handle: u32,
    request: String,
    grant: Object<'e>,
    sent: f64,
    now: f64,
) -> Given<'e> {
    let (sent, now) = (host(sent), host(now));
    let outcome = HANDLES.with(|all| all.handle_grant(handle, &request, from(grant), sent, now));
    answer(&env(&grant), outcome)
}

/// Notes that the ask of this request failed, with the pause in ms if the store demands one.
#[napi]
pub fn handle_failure(handle: u32, request: String, code: String, wait: Option<f64>, now: f64) {
    let wait_ms = wait.map(|ms| ms as u32);
    HANDLES.with(|all| all.handle_failure(handle, &request, &code, wait_ms, host(now)));
}

/// Stops for good; returns the release to send, or `null`.
#[napi(ts_return_type = "object | null")]
pub fn retire<'e>(env: &'e Env, handle: u32) -> Maybe<'e> {
    maybe(env, HANDLES.with(|all| all.retire(handle)))
}

/// Drops everything in hand, and the ask that is out.
#[napi]
pub fn forget(handle: u32) {
    HANDLES.with(|all| all.forget(handle));
}

/// Notes a leap of the host's clock: makes a renewal due.
#[napi]
pub fn resumed(handle: u32) {
    HANDLES.with(|all| all.resumed(handle));
}

/// How many ms the wall clock leapt since the last look; a leap makes a renewal due.
#[napi]
pub fn look(handle: u32, ticking: f64, wall: f64) -> f64 {
    HANDLES.with(|all| all.look(handle, host(ticking), host(wall))) as f64
}

/// The facts that another instance may take over: `store`, `position`, `have_until`.
#[napi(ts_return_type = "object")]
pub fn carryover<'e>(env: &'e Env, handle: u32) -> Given<'e> {
    answer(env, Ok(HANDLES.with(|all| all.carryover(handle))))
}

/// Takes over the facts of another instance, and goes on above the highest ID that it handed out, in
/// this layout: `null`, or the refusal.
#[napi(ts_return_type = "object | null")]
pub fn resume<'e>(
    handle: u32,
    before: Object<'e>,
    highest: Option<BigInt>,
    layout: Option<Object>,
) -> Maybe<'e> {
    let highest = highest.as_ref().map(bits);
    let resumed = HANDLES.with(|all| all.resume(handle, from(before), highest, layout.map(from)));
    maybe(&env(&before), resumed.err())
}

/// The layout of a snowflake generator, once it is known.
#[napi(ts_return_type = "object | null")]
pub fn layout_in_use<'e>(env: &'e Env, handle: u32) -> Maybe<'e> {
    maybe(env, HANDLES.with(|all| all.layout_in_use(handle)))
}

/// Decides whether the caller of a refused draw raises (`{ code }`) or waits (`{ until? }`), once the
/// ask that is due was sent.
#[napi(ts_return_type = "object")]
pub fn stance(env: &Env, handle: u32, code: String, until: Option<f64>, now: f64) -> Given<'_> {
    answer(env, Ok(HANDLES.with(|all| all.stance(handle, &code, until.map(host), host(now)))))
}

/// Why the last ask failed, until one succeeds.
#[napi]
pub fn failing(handle: u32) -> Option<&'static str> {
    HANDLES.with(|all| all.failing(handle)).map(|code| code.as_str())
}

/// The counters.
#[napi(ts_return_type = "object")]
pub fn stats<'e>(env: &'e Env, handle: u32) -> Given<'e> {
    answer(env, HANDLES.with(|all| all.stats(handle)))
}
