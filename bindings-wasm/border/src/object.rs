//! JavaScript's plain objects.

use leafid_bindings::{Answer, Object, Reading, Value, Wrong};

use crate::host::{self, Js};

impl Object for Js {
    fn get(&self, field: &'static str) -> Value<'static, Js> {
        host::get(self.0, field)
    }

    fn set(&mut self, field: &'static str, value: Value<'_, Js>) {
        host::set(self.0, field, value);
    }

    fn empty(&self) -> Option<Js> {
        Some(host::empty())
    }
}

/// The result of a verb as an object, or its refusal.
pub fn answer(given: Result<impl Answer, Wrong>) -> u32 {
    leafid_bindings::answer(host::empty(), given).0
}

/// An object to read from.
pub fn from(object: u32) -> Reading<Js> {
    Reading::new(Js(object))
}

/// An object to read from, if there is one.
pub fn given(object: u32) -> Option<Reading<Js>> {
    (object != 0).then(|| from(object))
}
