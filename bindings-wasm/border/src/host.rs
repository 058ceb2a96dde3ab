//! JavaScript's plain objects: the functions of the host by which they are read and written.

use alloc::string::String;
use alloc::vec;

use leafid_bindings::{Answer, Object, Reading, Value, Wrong};

#[expect(unsafe_code, reason = "functions of the host: names cross as places in memory")]
mod raw {
    #[link(wasm_import_module = "js")]
    unsafe extern "C" {
        /// Returns the type of a field's value; writes the value, or the length of a text, to `out`.
        pub fn get(object: u32, field: *const u8, length: usize, out: *mut u64) -> u32;
        /// Writes the text that was read last.
        pub fn take(to: *mut u8);
        pub fn set_flag(object: u32, field: *const u8, length: usize, flag: u32);
        pub fn set_number(object: u32, field: *const u8, length: usize, number: f64);
        pub fn set_big(object: u32, field: *const u8, length: usize, big: u64);
        pub fn set_moment(object: u32, field: *const u8, length: usize, ms: i64);
        pub fn set_text(object: u32, field: *const u8, length: usize, text: *const u8, of: usize);
        pub fn set_object(object: u32, field: *const u8, length: usize, other: u32);
        /// Makes an object without fields.
        pub safe fn empty() -> u32;
        pub fn tell_text(text: *const u8, length: usize);
        pub fn tell_bytes(bytes: *const u8, length: usize);
        pub safe fn tell_big(big: u64);
        pub safe fn tell_moment(ms: i64);
    }
}

/// A JavaScript object, by its index in the host's list.
pub struct Js(pub u32);

impl Object for Js {
    #[expect(unsafe_code, reason = "the host reads the name and writes the value")]
    fn get(&self, field: &'static str) -> Value<'static, Js> {
        let mut value = 0_u64;
        // SAFETY: the host reads the name, and writes eight bytes at most.
        let kind = unsafe { raw::get(self.0, field.as_ptr(), field.len(), &raw mut value) };
        match kind {
            0 => Value::Absent,
            1 => Value::Flag(value != 0),
            2 => Value::Number(f64::from_bits(value)),
            3 => Value::Big(value),
            4 => Value::Owned(taken(value as usize)),
            5 => Value::Object(Js(value as u32)),
            _ => Value::Other,
        }
    }

    #[expect(unsafe_code, reason = "the host reads the name and the text")]
    fn set(&mut self, field: &'static str, value: Value<'_, Js>) {
        let (object, name, length) = (self.0, field.as_ptr(), field.len());
        let text = |text: &str| {
            // SAFETY: the host reads both.
            unsafe { raw::set_text(object, name, length, text.as_ptr(), text.len()) }
        };
        // SAFETY: the host reads the name.
        unsafe {
            match value {
                Value::Absent | Value::Other => {}
                Value::Flag(flag) => raw::set_flag(object, name, length, flag.into()),
                Value::Number(number) => raw::set_number(object, name, length, number),
                Value::Big(big) => raw::set_big(object, name, length, big),
                Value::Moment(ms) => raw::set_moment(object, name, length, ms),
                Value::Text(given) => text(given),
                Value::Owned(given) => text(&given),
                Value::Object(Js(other)) => raw::set_object(object, name, length, other),
            }
        }
    }

    fn empty(&self) -> Option<Js> {
        Some(Js(raw::empty()))
    }
}

#[expect(unsafe_code, reason = "the host writes a text of the length that it told")]
fn taken(length: usize) -> String {
    let mut bytes = vec![0; length];
    // SAFETY: there is room for the length that the host gave.
    unsafe { raw::take(bytes.as_mut_ptr()) };
    String::from_utf8(bytes).unwrap_or_default()
}

/// The result of a verb as an object, or its refusal.
pub fn answer(given: Result<impl Answer, Wrong>) -> u32 {
    leafid_bindings::answer(Js(raw::empty()), given).0
}

/// An object to read from.
pub fn from(object: u32) -> Reading<Js> {
    Reading::new(Js(object))
}

/// An object to read from, if there is one.
pub fn given(object: u32) -> Option<Reading<Js>> {
    (object != 0).then(|| from(object))
}

/// Tells a text.
#[expect(unsafe_code, reason = "the host reads the text")]
pub fn tell_text(text: &str) {
    // SAFETY: the host reads it.
    unsafe { raw::tell_text(text.as_ptr(), text.len()) }
}

/// Tells bytes.
#[expect(unsafe_code, reason = "the host reads the bytes")]
pub fn tell_bytes(bytes: &[u8]) {
    // SAFETY: the host reads them.
    unsafe { raw::tell_bytes(bytes.as_ptr(), bytes.len()) }
}

/// Tells a 64-bit number.
pub fn tell_big(big: u64) {
    raw::tell_big(big);
}

/// Tells a 64-bit time.
pub fn tell_moment(ms: i64) {
    raw::tell_moment(ms);
}
