//! The two most frequent calls, written against Node-API directly: a call through napi-rs allocates
//! and locks, which costs as much as writing a thousand IDs.

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

/// Fills a slice and returns how many IDs, as [`Handles::fill`] does.
type Fill = fn(&Handles, u32, HostTime, &mut [u64]) -> u32;

/// Exports `fill` and `fillAvailable`, in addition to the exports of napi-rs.
///
/// # Errors
/// If Node is broken.
#[napi(module_exports)]
pub fn install(mut exports: Object<'_>, env: Env) -> Result<()> {
    exports.set("fill", env.create_function::<(), u32>("fill", fill)?)?;
    let available = env.create_function::<(), u32>("fillAvailable", fill_available)?;
    exports.set("fillAvailable", available)
}

/// Fills all of an array, in order. Returns its length, or 0 with nothing written or spent; the
/// highest bit is set if `poll` has an action.
unsafe extern "C" fn fill(env: napi_env, info: napi_callback_info) -> napi_value {
    // SAFETY: as Node calls it.
    unsafe { told(env, filled(env, info, Handles::fill)) }
}

/// Fills an array with as many IDs as are at hand, in order. Returns how many; the highest bit is set
/// if `poll` has an action.
unsafe extern "C" fn fill_available(env: napi_env, info: napi_callback_info) -> napi_value {
    // SAFETY: as Node calls it.
    unsafe { told(env, filled(env, info, Handles::fill_available)) }
}

/// Fills the third argument from the generator that the first names; the second is the time. Returns 0
/// if the array may not be filled here.
///
/// # Safety
/// With the environment and the arguments of a call that Node makes.
unsafe fn filled(env: napi_env, info: napi_callback_info, fill: Fill) -> Result<napi_value> {
    let (mut count, mut given) = (3, [ptr::null_mut(); 3]);
    let (this, data) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: as this function's own. Node passes `undefined` for missing arguments. The elements stay
    // where they are until this call returns, no JavaScript runs before, and the slice is gone by then.
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

/// The elements of a `BigUint64Array`; `None` if it is empty, for any other value, for shared memory,
/// which other threads may write meanwhile, and for more elements than are ever given at once.
///
/// # Safety
/// As [`filled`]. The slice must not be kept after the call returns to Node.
unsafe fn elements<'e>(env: napi_env, array: napi_value) -> Option<&'e mut [u64]> {
    let (mut kind, mut length, mut at) = (0, 0, 0);
    let (mut data, mut buffer) = (ptr::null_mut(), ptr::null_mut());
    let mut is_own = false;
    // SAFETY: as this function's own. Node gives the address of that many elements of that type.
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

/// The value, or an exception that is thrown when the call returns to Node.
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
