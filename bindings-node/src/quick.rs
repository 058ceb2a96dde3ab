//! The two calls that a program makes most, in Node-API's own words: napi-rs' way into a function
//! allocates and locks, which costs as much as writing a thousand IDs.

#![expect(unsafe_code, reason = "functions in Node-API's own words")]

use std::ptr;

use leafid_bindings::{ASK_IS_DUE, Handles};
use leafid_core::HostTime;
use napi::bindgen_prelude::{Env, FromNapiValue, Object, Result, ToNapiValue};
use napi::sys::{self, napi_callback_info, napi_env, napi_value};
use napi::{JsError, check_status};
use napi_derive::napi;

use crate::HANDLES;
use crate::object::host;

/// Fills as much of a slice as it can: how many, as the engine tells it.
type Fill = fn(&Handles, u32, HostTime, &mut [u64]) -> u32;

/// Exports `fill` and `fillAvailable`, beside those that napi-rs exports.
///
/// # Errors
/// If Node is broken.
#[napi(module_exports)]
pub fn install(mut exports: Object<'_>, env: Env) -> Result<()> {
    exports.set("fill", env.create_function::<(), u32>("fill", fill)?)?;
    let available = env.create_function::<(), u32>("fillAvailable", fill_available)?;
    exports.set("fillAvailable", available)
}

/// Fills all of an array, in order: its length, or 0 with nothing written or spent. The highest bit of the
/// result says that an ask is due.
unsafe extern "C" fn fill(env: napi_env, info: napi_callback_info) -> napi_value {
    // SAFETY: as Node calls it.
    unsafe { told(env, filled(env, info, Handles::fill)) }
}

/// Fills as much of an array as there are IDs at hand, in order: how many. The highest bit of the result says
/// that an ask is due.
unsafe extern "C" fn fill_available(env: napi_env, info: napi_callback_info) -> napi_value {
    // SAFETY: as Node calls it.
    unsafe { told(env, filled(env, info, Handles::fill_available)) }
}

/// Fills the third argument from the generator that the first names; the second is the time. 0 for what
/// may not be filled here.
///
/// # Safety
/// With the environment and the arguments of a call that Node makes.
unsafe fn filled(env: napi_env, info: napi_callback_info, fill: Fill) -> Result<napi_value> {
    let (mut count, mut given) = (3, [ptr::null_mut(); 3]);
    let (this, data) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: as this function's own. Node fills in `undefined` for arguments that are missing. The
    // elements stay where they are until Node goes on, and nothing of JavaScript runs before: the slice
    // is gone by then.
    unsafe {
        let (count, given) = (&raw mut count, &raw mut given);
        check_status!(sys::napi_get_cb_info(env, info, count, given.cast(), this, data))?;
        let [handle, now, out] = *given;
        let (handle, now) = (u32::from_napi_value(env, handle)?, f64::from_napi_value(env, now)?);
        let told = match elements(env, out) {
            Some(out) => HANDLES.with(|all| fill(all, handle, host(now), out)),
            None => 0,
        };
        u32::to_napi_value(env, told)
    }
}

/// The elements of a `BigUint64Array` that has some; `None` for any other value, for shared memory,
/// which others may write meanwhile, and for more than are ever given at once.
///
/// # Safety
/// As [`filled`]. The slice is not to be kept while Node goes on.
unsafe fn elements<'e>(env: napi_env, array: napi_value) -> Option<&'e mut [u64]> {
    let (mut kind, mut length, mut at) = (0, 0, 0);
    let (mut data, mut buffer) = (ptr::null_mut(), ptr::null_mut());
    let mut is_own = false;
    // SAFETY: as this function's own. Node gives the place of as many elements of that type.
    unsafe {
        let (length, data) = (&raw mut length, &raw mut data);
        let (kind, buffer, at) = (&raw mut kind, &raw mut buffer, &raw mut at);
        let read = sys::napi_get_typedarray_info(env, array, kind, length, data, buffer, at);
        let is_right = read == sys::Status::napi_ok
            && *kind == sys::TypedarrayType::biguint64_array
            && (1..ASK_IS_DUE as usize).contains(&*length)
            && sys::napi_is_arraybuffer(env, *buffer, &raw mut is_own) == sys::Status::napi_ok
            && is_own;
        is_right.then(|| std::slice::from_raw_parts_mut((*data).cast(), *length))
    }
}

/// What it gives, or an exception that is thrown when Node goes on.
///
/// # Safety
/// As [`filled`].
unsafe fn told(env: napi_env, filled: Result<napi_value>) -> napi_value {
    filled.unwrap_or_else(|error| {
        // SAFETY: as this function's own.
        unsafe { JsError::from(error).throw_into(env) };
        ptr::null_mut()
    })
}
