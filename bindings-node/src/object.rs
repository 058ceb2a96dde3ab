//! JavaScript's plain objects.

use leafid_bindings::{Answer, Reading, Value, Wrong};
use leafid_core::HostTime;
use napi::bindgen_prelude::{BigInt, Either6, Env, JsValue, Null, Object, Result};

/// A JavaScript object.
pub struct Js<'env>(Object<'env>);

impl leafid_bindings::Object for Js<'_> {
    fn get(&self, field: &'static str) -> Value<'static, Self> {
        match self.0.get::<Either6<bool, f64, String, BigInt, Null, Object<'_>>>(field) {
            Ok(None | Some(Either6::E(Null))) => Value::Absent,
            Ok(Some(Either6::A(flag))) => Value::Flag(flag),
            Ok(Some(Either6::B(number))) => Value::Number(number),
            Ok(Some(Either6::C(text))) => Value::Owned(text),
            Ok(Some(Either6::D(big))) => exact(&big).map_or(Value::Other, Value::Big),
            Ok(Some(Either6::F(object))) => Value::Object(Js(object)),
            Err(_) => Value::Other,
        }
    }

    fn set(&mut self, field: &'static str, value: Value<'_, Self>) {
        // Setting a field of our own plain object cannot fail.
        let _ = match value {
            Value::Absent | Value::Other => Ok(()),
            Value::Flag(flag) => self.0.set(field, flag),
            Value::Number(number) => self.0.set(field, number),
            Value::Big(big) => self.0.set(field, BigInt::from(big)),
            Value::Moment(ms) => self.0.set(field, BigInt::from(ms)),
            Value::Text(text) => self.0.set(field, text),
            Value::Owned(text) => self.0.set(field, text),
            Value::Object(object) => self.0.set(field, object.0),
        };
    }

    fn empty(&self) -> Option<Self> {
        Object::new(&env(&self.0)).ok().map(Js)
    }
}

/// An object for JavaScript, or the exception to throw.
pub type Given<'env> = Result<Object<'env>>;
/// An object or `null`, or the exception to throw.
pub type Maybe<'env> = Result<Option<Object<'env>>>;

/// The result of a verb as an object, or its refusal.
///
/// # Errors
/// The exception to throw.
pub fn answer<'env>(env: &Env, given: std::result::Result<impl Answer, Wrong>) -> Given<'env> {
    Ok(leafid_bindings::answer(Js(Object::new(env)?), given).0)
}

/// As [`answer`]; `null` for `None`.
///
/// # Errors
/// The exception to throw.
pub fn maybe<'env>(env: &Env, given: Option<impl Answer>) -> Maybe<'env> {
    given.map(|given| answer(env, Ok(given))).transpose()
}

/// The environment that an object belongs to.
pub fn env(object: &Object<'_>) -> Env {
    Env::from_raw(object.value().env)
}

/// An object to read from.
pub fn from(object: Object<'_>) -> Reading<Js<'_>> {
    Reading::new(Js(object))
}

/// A time on the host's clock.
pub fn host(ms: f64) -> HostTime {
    HostTime::new(ms as i64)
}

/// Reads a bigint from 0 to 2^64 - 1. Any other counts as the largest, which is no ID.
pub fn bits(big: &BigInt) -> u64 {
    exact(big).unwrap_or(u64::MAX)
}

/// Reads a bigint as a time. One of more than 64 bits counts as the latest time, which no layout has.
pub fn millis(big: &BigInt) -> i64 {
    let (ms, whole) = big.get_i64();
    if whole { ms } else { i64::MAX }
}

fn exact(big: &BigInt) -> Option<u64> {
    let (negative, bits, whole) = big.get_u64();
    (whole && !(negative && bits > 0)).then_some(bits)
}
