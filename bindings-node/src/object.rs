//! The fields of asks, grants and rows in plain JavaScript objects.

use leafid_core::{Code, FieldReader, FieldWriter, Fields, Refusal};
use napi::bindgen_prelude::{BigInt, Either6, Env, Null, Object, ToNapiValue};
use napi::{Error, Result};

/// Numbers that every language holds exactly end here.
const EXACT: f64 = ((1u64 << 53) - 1) as f64;

/// An object that is being written.
pub struct Writing<'env> {
    env: &'env Env,
    object: Object<'env>,
    broken: Option<Error>,
}

/// The object of something with fields.
///
/// # Errors
/// What JavaScript throws.
pub fn written<'env>(
    env: &'env Env,
    write: impl FnOnce(&mut Writing<'env>),
) -> Result<Object<'env>> {
    let mut writing = Writing { env, object: Object::new(env)?, broken: None };
    write(&mut writing);
    writing.broken.map_or(Ok(writing.object), Err)
}

/// The object of a refusal: `{ code, until }`, and the field that was no good.
///
/// # Errors
/// What JavaScript throws.
pub fn refused<'env>(env: &'env Env, refusal: Refusal, field: &str) -> Result<Object<'env>> {
    written(env, |to| {
        to.text("code", refusal.code.as_str());
        refusal.until.inspect(|until| to.set("until", BigInt::from(until.get())));
        if !field.is_empty() {
            to.text("field", field);
        }
    })
}

impl Writing<'_> {
    /// Sets a field to whatever JavaScript knows.
    pub fn set(&mut self, field: &str, value: impl ToNapiValue) {
        if let Err(error) = self.object.set(field, value) {
            self.broken = Some(error);
        }
    }
}

impl FieldWriter for Writing<'_> {
    fn number(&mut self, field: &'static str, value: u64) {
        self.set(field, value as f64);
    }

    fn millis(&mut self, field: &'static str, value: i64) {
        self.set(field, value as f64);
    }

    fn big(&mut self, field: &'static str, value: u64) {
        self.set(field, BigInt::from(value));
    }

    fn flag(&mut self, field: &'static str, value: bool) {
        self.set(field, value);
    }

    fn text(&mut self, field: &'static str, value: &str) {
        self.set(field, value);
    }

    fn nested(&mut self, field: &'static str, write: impl FnOnce(&mut Self)) {
        match Object::new(self.env) {
            Ok(object) => {
                let mut inner = Writing { env: self.env, object, broken: None };
                write(&mut inner);
                self.broken = self.broken.take().or(inner.broken);
                self.set(field, inner.object);
            }
            Err(error) => self.broken = Some(error),
        }
    }
}

/// An object that is being read; it remembers which field it looked at last.
pub struct Reading<'env> {
    object: Object<'env>,
    field: &'static str,
}

/// What is wrong with an object, and in which field.
pub type Wrong = (Refusal, &'static str);

/// Reads something with fields.
///
/// # Errors
/// The refusal, and the field.
pub fn read<T: Fields>(object: Object<'_>) -> std::result::Result<T, Wrong> {
    read_with(object, |from| T::get(from))
}

/// As [`read`], for what has no `Fields`.
///
/// # Errors
/// As [`read`].
pub fn read_with<'env, T>(
    object: Object<'env>,
    get: impl FnOnce(&mut Reading<'env>) -> std::result::Result<T, Refusal>,
) -> std::result::Result<T, Wrong> {
    let mut reading = Reading { object, field: "" };
    get(&mut reading).map_err(|refusal| (refusal, reading.field))
}

type Value<'env> = Either6<bool, f64, String, BigInt, Null, Object<'env>>;
type Read<T> = std::result::Result<Option<T>, Refusal>;

impl<'env> Reading<'env> {
    fn value(&mut self, field: &'static str) -> Read<Value<'env>> {
        self.field = field;
        match self.object.get::<Value<'env>>(field) {
            Ok(None | Some(Either6::E(Null))) => Ok(None),
            Ok(value) => Ok(value),
            Err(_) => Err(invalid()),
        }
    }

    fn whole(&mut self, field: &'static str, least: f64) -> Read<f64> {
        match self.value(field)? {
            None => Ok(None),
            Some(Either6::B(n)) if n.fract() == 0.0 && n >= least && n <= EXACT => Ok(Some(n)),
            Some(_) => Err(invalid()),
        }
    }
}

fn invalid() -> Refusal {
    Refusal::new(Code::RequestInvalid)
}

impl FieldReader for Reading<'_> {
    fn number(&mut self, field: &'static str) -> Read<u64> {
        Ok(self.whole(field, 0.0)?.map(|n| n as u64))
    }

    fn millis(&mut self, field: &'static str) -> Read<i64> {
        Ok(self.whole(field, -EXACT)?.map(|n| n as i64))
    }

    fn big(&mut self, field: &'static str) -> Read<u64> {
        match self.value(field)? {
            None => Ok(None),
            Some(Either6::C(text)) => decimal(&text).map(Some),
            Some(Either6::D(big)) => bits(&big).map(Some).ok_or(invalid()),
            Some(_) => Err(invalid()),
        }
    }

    fn flag(&mut self, field: &'static str) -> Read<bool> {
        match self.value(field)? {
            None => Ok(None),
            Some(Either6::A(flag)) => Ok(Some(flag)),
            Some(_) => Err(invalid()),
        }
    }

    fn text<T>(&mut self, field: &'static str, read: impl FnOnce(&str) -> T) -> Read<T> {
        match self.value(field)? {
            None => Ok(None),
            Some(Either6::C(text)) => Ok(Some(read(&text))),
            Some(_) => Err(invalid()),
        }
    }

    fn nested<T>(
        &mut self,
        field: &'static str,
        read: impl FnOnce(&mut Self) -> std::result::Result<T, Refusal>,
    ) -> Read<T> {
        match self.value(field)? {
            None => Ok(None),
            Some(Either6::F(object)) => read(&mut Reading { object, field }).map(Some),
            Some(_) => Err(invalid()),
        }
    }
}

/// The 64 bits of a bigint from 0 to 2^64 - 1.
pub fn bits(big: &BigInt) -> Option<u64> {
    let (negative, bits, whole) = big.get_u64();
    (whole && !(negative && bits > 0)).then_some(bits)
}

/// A number of 64 bits in decimal: digits only, no leading zero.
fn decimal(text: &str) -> std::result::Result<u64, Refusal> {
    let canonical = text == "0" || !text.starts_with('0');
    if !canonical || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(invalid());
    }
    text.parse().map_err(|_| invalid())
}
