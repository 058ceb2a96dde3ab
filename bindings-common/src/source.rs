//! Reading a verb's arguments, and reporting the field that was wrong.

use leafid_core::{Code, HostTime, Refusal, StoreTime};
use leafid_wire::{FieldReader, Fields};

/// A reader that remembers which field it read last.
pub trait Source: FieldReader {
    /// That field; empty before the first.
    fn field(&self) -> &'static str;
}

/// Why a verb did nothing, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The code, and until when: on the generator's clock, or the store's from the registry.
    pub refusal: Refusal,
    /// The field that is missing or invalid; empty if all could be read.
    pub field: &'static str,
    /// The argument that has the field: `row`, `ask`, …
    pub of: &'static str,
}

impl From<Refusal> for Wrong {
    fn from(refusal: Refusal) -> Wrong {
        Wrong { refusal, field: "", of: "" }
    }
}

impl From<Code> for Wrong {
    fn from(code: Code) -> Wrong {
        Refusal::<HostTime>::new(code).into()
    }
}

/// In plain data a time is a number, on either clock.
impl From<Refusal<StoreTime>> for Wrong {
    fn from(refusal: Refusal<StoreTime>) -> Wrong {
        let until = refusal.until.map(|until| HostTime::new(until.get()));
        Refusal { code: refusal.code, until }.into()
    }
}

/// Reads an argument that has [`Fields`]; `of` is its name.
///
/// # Errors
/// The refusal, and the field.
pub fn read<T: Fields>(from: impl Source, of: &'static str) -> Result<T, Wrong> {
    read_with(from, of, |from| T::get(from))
}

/// As [`read`], for an argument without `Fields`.
///
/// # Errors
/// As [`read`].
pub fn read_with<S: Source, T>(
    mut from: S,
    of: &'static str,
    get: impl FnOnce(&mut S) -> Result<T, Refusal>,
) -> Result<T, Wrong> {
    get(&mut from).map_err(|refusal| Wrong { refusal, field: from.field(), of })
}
