//! Public IDs: one scrambler at a time, and its digits. A separate wasm file, because of AES.
//!
//! Each function tells its result, or `CODE what is wrong`. `leafid_wasm_border` passes texts.
#![cfg_attr(target_family = "wasm", no_std)]
#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "the host knows each function by its name")]

extern crate alloc;

use alloc::format;
use core::cell::RefCell;

use leafid_public::{Alphabet, Problem, Scrambler};
use leafid_wasm_border::{Alone, parcel, tell_big, tell_text, text};

/// The scrambler in use. The host keeps the keys and loads a scrambler before it uses another, so that
/// nothing has to be freed.
static LOADED: Alone<RefCell<Option<Scrambler>>> = Alone(RefCell::new(None));

/// Loads a scrambler; the parcels are its key, its tag and its prefix. Tells only an error.
#[unsafe(no_mangle)]
pub extern "C" fn load(base62: bool, has_prefix: bool) {
    let (prefix, tag, key) = (text(), text(), parcel());
    let made = Scrambler::new(&key, &tag).and_then(|scrambler| match has_prefix {
        true => scrambler.with_prefix(&prefix),
        false => Ok(scrambler),
    });
    told(made.map(|made| {
        *LOADED.0.borrow_mut() = Some(made.with_alphabet(alphabet(base62)));
    }));
}

/// The public text of an ID.
#[unsafe(no_mangle)]
pub extern "C" fn encode(id: u64) {
    with(|scrambler| scrambler.encode(id).map(|text| tell_text(&text)));
}

/// The ID of the public text in the parcel.
#[unsafe(no_mangle)]
pub extern "C" fn decode() {
    let text = text();
    with(|scrambler| scrambler.decode(&text).map(tell_big));
}

/// Scrambles an ID to another 63-bit number.
#[unsafe(no_mangle)]
pub extern "C" fn scramble(id: u64) {
    with(|scrambler| scrambler.scramble(id).map(tell_big));
}

/// The ID that was scrambled to this number.
#[unsafe(no_mangle)]
pub extern "C" fn unscramble(number: u64) {
    with(|scrambler| scrambler.unscramble(number).map(tell_big));
}

/// The digits of an ID.
#[unsafe(no_mangle)]
pub extern "C" fn digits(base62: bool, id: u64) {
    told(alphabet(base62).write(id).map(|digits| tell_text(&digits)));
}

/// The ID of the digits in the parcel.
#[unsafe(no_mangle)]
pub extern "C" fn parse(base62: bool) {
    told(alphabet(base62).read(&text()).map(tell_big));
}

fn alphabet(base62: bool) -> Alphabet {
    if base62 { Alphabet::Base62 } else { Alphabet::Base58 }
}

fn with(act: impl FnOnce(&Scrambler) -> Result<(), Problem>) {
    if let Some(scrambler) = &*LOADED.0.borrow() {
        told(act(scrambler));
    }
}

/// Tells an error, as its code and its message.
fn told(result: Result<(), Problem>) {
    if let Err(problem) = result {
        tell_text(&format!("{} {problem}", problem.code.as_str()));
    }
}
