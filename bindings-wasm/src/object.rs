//! The fields of asks, grants and rows in plain JavaScript objects.

use js_sys::{BigInt, Object, Reflect};
use leafid_core::{Code, FieldReader, FieldWriter, Fields, Refusal};
use wasm_bindgen::{JsCast, JsValue};

/// Numbers that every language holds exactly end here.
const EXACT: f64 = ((1u64 << 53) - 1) as f64;

/// An object that is being written.
pub struct Writing {
    object: Object,
}

/// The object of something with fields.
pub fn written(write: impl FnOnce(&mut Writing)) -> Object {
    let mut writing = Writing { object: Object::new() };
    write(&mut writing);
    writing.object
}

/// The object of a refusal: `{ code, until }`, and the field that was no good.
pub fn refused(refusal: Refusal, field: &str) -> Object {
    written(|to| {
        to.text("code", refusal.code.as_str());
        refusal.until.inspect(|until| to.set("until", until.get()));
        if !field.is_empty() {
            to.text("field", field);
        }
    })
}

impl Writing {
    /// Sets a field to whatever JavaScript knows.
    pub fn set(&mut self, field: &str, value: impl Into<JsValue>) {
        // A plain object of our own takes every field.
        let _ = Reflect::set(&self.object, &field.into(), &value.into());
    }
}

impl FieldWriter for Writing {
    fn number(&mut self, field: &'static str, value: u64) {
        self.set(field, value as f64);
    }

    fn millis(&mut self, field: &'static str, value: i64) {
        self.set(field, value as f64);
    }

    fn big(&mut self, field: &'static str, value: u64) {
        self.set(field, value);
    }

    fn flag(&mut self, field: &'static str, value: bool) {
        self.set(field, value);
    }

    fn text(&mut self, field: &'static str, value: &str) {
        self.set(field, value);
    }

    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Self)) {
        self.set(field, written(write));
    }
}

/// An object that is being read; it remembers which field it looked at last.
pub struct Reading {
    object: Object,
    field: &'static str,
}

/// What is wrong with an object, and in which field.
pub type Wrong = (Refusal, &'static str);

/// Reads something with fields.
///
/// # Errors
/// The refusal, and the field.
pub fn read<T: Fields>(object: Object) -> Result<T, Wrong> {
    read_with(object, |from| T::get(from))
}

/// As [`read`], for what has no `Fields`.
///
/// # Errors
/// As [`read`].
pub fn read_with<T>(
    object: Object,
    get: impl FnOnce(&mut Reading) -> Result<T, Refusal>,
) -> Result<T, Wrong> {
    let mut reading = Reading { object, field: "" };
    get(&mut reading).map_err(|refusal| (refusal, reading.field))
}

type Read<T> = Result<Option<T>, Refusal>;

impl Reading {
    fn value(&mut self, field: &'static str) -> Read<JsValue> {
        self.field = field;
        let value = Reflect::get(&self.object, &field.into()).map_err(|_| invalid())?;
        Ok((!value.is_undefined() && !value.is_null()).then_some(value))
    }

    fn whole(&mut self, field: &'static str, least: f64) -> Read<f64> {
        let Some(value) = self.value(field)? else { return Ok(None) };
        let number = value.as_f64().filter(|n| n.fract() == 0.0 && *n >= least && *n <= EXACT);
        number.map(Some).ok_or(invalid())
    }
}

fn invalid() -> Refusal {
    Refusal::new(Code::RequestInvalid)
}

impl FieldReader for Reading {
    fn number(&mut self, field: &'static str) -> Read<u64> {
        Ok(self.whole(field, 0.0)?.map(|n| n as u64))
    }

    fn millis(&mut self, field: &'static str) -> Read<i64> {
        Ok(self.whole(field, -EXACT)?.map(|n| n as i64))
    }

    fn big(&mut self, field: &'static str) -> Read<u64> {
        let Some(value) = self.value(field)? else { return Ok(None) };
        if let Some(text) = value.as_string() {
            return decimal(&text).map(Some);
        }
        // Anything else than a bigint from 0 to 2^64 - 1 is none.
        let big = value.dyn_into::<BigInt>().map_err(|_| invalid())?;
        u64::try_from(big).map(Some).map_err(|_| invalid())
    }

    fn flag(&mut self, field: &'static str) -> Read<bool> {
        let Some(value) = self.value(field)? else { return Ok(None) };
        value.as_bool().map(Some).ok_or(invalid())
    }

    fn text<T>(&mut self, field: &'static str, read: impl FnOnce(&str) -> T) -> Read<T> {
        let Some(value) = self.value(field)? else { return Ok(None) };
        let text = value.as_string().ok_or(invalid())?;
        Ok(Some(read(&text)))
    }

    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Read<T> {
        let Some(value) = self.value(field)? else { return Ok(None) };
        let object = value.dyn_into::<Object>().map_err(|_| invalid())?;
        read(&mut Reading { object, field }).map(Some)
    }
}

/// A number of 64 bits in decimal: digits only, no leading zero.
fn decimal(text: &str) -> Result<u64, Refusal> {
    let canonical = text == "0" || !text.starts_with('0');
    if !canonical || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(invalid());
    }
    text.parse().map_err(|_| invalid())
}
