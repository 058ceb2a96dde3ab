//! Generators named by handles, which the host chooses, each once. A handle that names nothing acts as
//! a closed generator.

extern crate alloc;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::cell::{RefCell, RefMut};

use leafid_bindings::{Answers, AnyGenerator, Wrong, read};
use leafid_core::{Action, Code, Event, Failure, Grant, HostTime, Outcome, Refusal, Stance, Token};
use leafid_wasm_border::{Alone, answer, from, given, parcel, tell_moment, tell_text, text};

use crate::draw::Entry;
use crate::{host, known};

type Named = (u32, Box<Entry>);

/// All generators, sorted by handle: the host counts up, so a new one belongs at the end. A tree would be
/// a twentieth of the file.
static ALL: Alone<RefCell<Vec<Named>>> = Alone(RefCell::new(Vec::new()));

/// The buffer from which the host reads IDs.
static IDS: Alone<RefCell<Vec<u64>>> = Alone(RefCell::new(Vec::new()));

fn place(all: &[Named], handle: u32) -> Result<usize, usize> {
    all.binary_search_by_key(&handle, |(known, _)| *known)
}

/// The generator of a handle. No object of the host may be read while it is borrowed: a getter may call
/// back here.
pub(crate) fn entry(handle: u32) -> Option<RefMut<'static, Entry>> {
    let all = ALL.0.borrow_mut();
    let at = place(&all, handle).ok()?;
    RefMut::filter_map(all, |all| all.get_mut(at).map(|(_, entry)| &mut **entry)).ok()
}

/// Builds a generator of the kind in the parcel, under a handle that the caller chose. Returns
/// nothing, or the refusal.
#[unsafe(no_mangle)]
pub extern "C" fn create(handle: u32, config: u32, seed: u64) -> u32 {
    match AnyGenerator::new(&text(), from(config), seed) {
        Err(wrong) => answer(Ok(wrong)),
        Ok(generator) => {
            let mut all = ALL.0.borrow_mut();
            if let Err(at) = place(&all, handle) {
                all.insert(at, (handle, Box::new(Entry::new(generator))));
            }
            0
        }
    }
}

/// Drops a generator.
#[unsafe(no_mangle)]
pub extern "C" fn free(handle: u32) {
    let mut all = ALL.0.borrow_mut();
    if let Ok(at) = place(&all, handle) {
        all.remove(at);
    }
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

/// Writes `n` IDs, in order. Returns `n`, or 0 with nothing spent; the highest bit is set if `poll` has
/// an ask.
#[unsafe(no_mangle)]
pub extern "C" fn fill(handle: u32, now: f64, n: usize) -> u32 {
    filled(handle, n, |entry, out| entry.fill(host(now), out))
}

/// Writes up to `n` IDs that are at hand, in order. Returns how many; the highest bit is set if `poll`
/// has an ask.
#[unsafe(export_name = "fillAvailable")]
pub extern "C" fn fill_available(handle: u32, now: f64, n: usize) -> u32 {
    filled(handle, n, |entry, out| entry.fill_available(host(now), out))
}

fn filled(handle: u32, n: usize, fill: impl FnOnce(&mut Entry, &mut [u64]) -> u32) -> u32 {
    let mut ids = IDS.0.borrow_mut();
    entry(handle).zip(ids.get_mut(..n)).map_or(0, |(mut entry, out)| fill(&mut entry, out))
}

/// Whether `n` IDs can be had at once now.
#[unsafe(no_mangle)]
pub extern "C" fn ready(handle: u32, now: f64, n: f64) -> bool {
    entry(handle).is_some_and(|mut entry| entry.ready(host(now), n as u64))
}

/// The most IDs that can be had at once, as far as is known.
#[unsafe(no_mangle)]
pub extern "C" fn most(handle: u32) -> f64 {
    entry(handle).map_or(0, |entry| entry.generator.most()) as f64
}

/// Why the last `fill`, `fillAvailable` or `ready` gave nothing.
#[unsafe(no_mangle)]
pub extern "C" fn refusal(handle: u32) -> u32 {
    let refusal = entry(handle).and_then(|entry| entry.refusal);
    answer(Ok(Wrong::from(refusal.unwrap_or(Code::Closed.into()))))
}

/// Until when the IDs of the last fill are timely, on the host's clock: the end of the first ID's
/// tick. Set only for several snowflakes.
#[unsafe(export_name = "goodUntil")]
pub extern "C" fn good_until(handle: u32) -> f64 {
    entry(handle).map_or(HostTime::MIN, |entry| entry.good_until).get() as f64
}

/// Whether `poll` has an action.
#[unsafe(no_mangle)]
pub extern "C" fn wants(handle: u32, now: f64) -> bool {
    entry(handle).is_some_and(|entry| entry.generator.wants(host(now)))
}

/// Tells when the next action is due (host's clock); nothing while only drawing can make it due.
#[unsafe(export_name = "pollAt")]
pub extern "C" fn poll_at(handle: u32) {
    if let Some(at) = entry(handle).and_then(|entry| entry.generator.poll_at()) {
        tell_moment(at.get());
    }
}

/// The ask to send now: its fields, with its type as `ask`; or nothing. With state files, passes a due write
/// of one to the host, as bytes. The parcel is 16 random bytes.
#[unsafe(no_mangle)]
pub extern "C" fn poll(handle: u32, now: f64) -> u32 {
    let mut entropy = [0; 16];
    entropy.iter_mut().zip(parcel()).for_each(|(place, byte)| *place = byte);
    let action = entry(handle).and_then(|mut entry| entry.generator.poll(host(now), entropy));
    #[cfg(feature = "state")]
    if let Some(Action::Write(write)) = &action {
        leafid_wasm_border::tell_bytes(&leafid_bindings::state_bytes::to_bytes(write));
    }
    action.and_then(Action::ask).map_or(0, |ask| answer(Ok(ask)))
}

/// Applies the answer to the ask of the request in the parcel: `{ outcome, release? }`, or the
/// refusal, with the `field` that could not be read. An answer that cannot be read fails its ask.
#[unsafe(export_name = "handleGrant")]
pub extern "C" fn handle_grant(handle: u32, grant: u32, sent: f64, now: f64) -> u32 {
    let request = text();
    let answers = entry(handle).map_or(Answers::Windows, |entry| entry.generator.answers());
    let read = answers.read(from(grant));
    let given = read.map_err(|wrong| wrong.refusal.code.into());
    let outcome = handled(handle, &request, given, host(sent), host(now));
    answer(read.and(outcome))
}

/// Notes that the ask of a request failed; the parcels are the request and the code, of which an unknown
/// one counts as `INTERNAL`.
#[unsafe(export_name = "handleFailure")]
pub extern "C" fn handle_failure(handle: u32, retry_after_ms: f64, now: f64) {
    let (code, request) = (text(), text());
    let code = Code::parse(&code).unwrap_or(Code::Internal);
    let retry_after_ms = known(retry_after_ms).map(|ms| ms as u32);
    let failed = Err(Failure { code, retry_after_ms });
    let _ = handled(handle, &request, failed, host(now), host(now));
}

fn handled(
    handle: u32,
    request: &str,
    answer: Result<Grant, Failure>,
    sent: HostTime,
    now: HostTime,
) -> Result<Outcome, Wrong> {
    let event = Event::Answer { request: Token::parse(request)?, sent, answer };
    match entry(handle) {
        Some(mut entry) => Ok(entry.generator.handle(event, now)?),
        None => Ok(Outcome::Ignored),
    }
}

/// Stops for good; returns the release to send, or nothing.
#[unsafe(no_mangle)]
pub extern "C" fn retire(handle: u32) -> u32 {
    let release = entry(handle).and_then(|mut entry| entry.generator.retire());
    release.map_or(0, |release| answer(Ok(release)))
}

/// Drops everything in hand, and the ask that is out.
#[unsafe(no_mangle)]
pub extern "C" fn forget(handle: u32) {
    if let Some(mut entry) = entry(handle) {
        entry.generator.forget();
    }
}

/// Notes a leap of the host's clock: makes a renewal due.
#[unsafe(no_mangle)]
pub extern "C" fn resumed(handle: u32) {
    if let Some(mut entry) = entry(handle) {
        entry.generator.resumed();
    }
}

/// How many ms the wall clock leapt since the last look; a leap makes a renewal due.
#[unsafe(no_mangle)]
pub extern "C" fn look(handle: u32, ticking: f64, wall: f64) -> f64 {
    entry(handle).map_or(0, |mut entry| entry.generator.look(host(ticking), host(wall))) as f64
}

/// The facts that another instance may take over: `store`, `position`, `have_until`.
#[unsafe(no_mangle)]
pub extern "C" fn carryover(handle: u32) -> u32 {
    let carryover = entry(handle).map(|entry| entry.generator.carryover());
    answer(Ok(carryover.unwrap_or_default()))
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
    let resumed = resumed_from(handle, before, highest, layout);
    resumed.err().map_or(0, |wrong| answer(Ok(wrong)))
}

fn resumed_from(handle: u32, before: u32, highest: Option<u64>, layout: u32) -> Result<(), Wrong> {
    let before = read(from(before), "carryover")?;
    let layout = given(layout).map(|layout| read(layout, "layout")).transpose()?;
    let mut entry = entry(handle).ok_or(Code::Closed)?;
    Ok(entry.generator.resume(before, highest, layout)?)
}

/// The layout of a snowflake generator, once it is known.
#[unsafe(export_name = "layoutInUse")]
pub extern "C" fn layout_in_use(handle: u32) -> u32 {
    let layout = entry(handle).and_then(|entry| entry.generator.layout());
    layout.map_or(0, |layout| answer(Ok(layout)))
}

/// Decides whether the caller of a refused draw raises (`{ code }`) or waits (`{ until? }`), once the
/// ask that is due was sent. The parcel is the code of the refusal, of which an unknown one is `INTERNAL`.
#[unsafe(no_mangle)]
pub extern "C" fn stance(handle: u32, until: f64, now: f64) -> u32 {
    let stance = match (Code::parse(&text()), entry(handle)) {
        (None, _) => Stance::Raise(Code::Internal),
        (_, None) => Stance::Raise(Code::Closed),
        (Some(code), Some(entry)) => {
            let refusal = Refusal { code, until: known(until).map(host) };
            entry.generator.stance(refusal, host(now))
        }
    };
    answer(Ok(stance))
}

/// Tells why the last ask failed, until one succeeds.
#[unsafe(no_mangle)]
pub extern "C" fn failing(handle: u32) {
    if let Some(code) = entry(handle).and_then(|entry| entry.generator.failing()) {
        tell_text(code.as_str());
    }
}

/// The counters.
#[unsafe(no_mangle)]
pub extern "C" fn stats(handle: u32) -> u32 {
    let stats = entry(handle).map(|entry| entry.generator.stats());
    answer(stats.ok_or(Code::Closed.into()))
}
