//! JavaScript's plain objects.

use js_sys::{BigInt, Object, Reflect};
use leafid_bindings::{Answer, Reading, Value, Wrong};
use leafid_core::{HostTime, StoreTime};
use wasm_bindgen::{JsCast, JsValue};

/// A JavaScript object.
pub struct Js(Object);

impl leafid_bindings::Object for Js {
    fn get(&self, field: &'static str) -> Value<'static, Js> {
        let Ok(value) = Reflect::get(&self.0, &field.into()) else { return Value::Other };
        if value.is_undefined() || value.is_null() {
            Value::Absent
        } else if let Some(flag) = value.as_bool() {
            Value::Flag(flag)
        } else if let Some(number) = value.as_f64() {
            Value::Number(number)
        } else if let Some(text) = value.as_string() {
            Value::Owned(text)
        } else {
            match value.dyn_into::<BigInt>().map(u64::try_from) {
                Ok(big) => big.map_or(Value::Other, Value::Big),
                Err(value) => {
                    value.dyn_into().map_or(Value::Other, |object| Value::Object(Js(object)))
                }
            }
        }
    }

    fn set(&mut self, field: &'static str, value: Value<'_, Js>) {
        let value: JsValue = match value {
            Value::Absent | Value::Other => return,
            Value::Flag(flag) => flag.into(),
            Value::Number(number) => number.into(),
            Value::Big(big) => big.into(),
            Value::Moment(ms) => ms.into(),
            Value::Text(text) => text.into(),
            Value::Owned(text) => text.into(),
            Value::Object(object) => object.0.into(),
        };
        // A plain object of our own takes every field.
        let _ = Reflect::set(&self.0, &field.into(), &value);
    }

    fn empty(&self) -> Option<Js> {
        Some(Js(Object::new()))
    }
}

/// The result of a verb as an object, or its refusal.
pub fn answer(given: Result<impl Answer, Wrong>) -> Object {
    leafid_bindings::answer(Js(Object::new()), given).0
}

/// An object to read from.
pub fn from(object: Object) -> Reading<Js> {
    Reading::new(Js(object))
}

/// A moment on the host's clock.
pub fn host(ms: f64) -> HostTime {
    HostTime::new(ms as i64)
}

/// A moment on the store's clock.
pub fn store(ms: f64) -> StoreTime {
    StoreTime::new(ms as i64)
}
