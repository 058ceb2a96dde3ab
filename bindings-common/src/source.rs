//! What a verb reads, and what was wrong with it.

use leafid_core::{Code, HostTime, Refusal, StoreTime};
use leafid_wire::{FieldReader, Fields};

/// A reader that remembers which field it looked at last.
pub trait Source: FieldReader {
    /// That field; empty before the first.
    fn field(&self) -> &'static str;
}

/// Why a verb did nothing, as data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The code, and until when: on the generator's clock, or the store's from the registry.
    pub refusal: Refusal,
    /// The field that is missing or not what it has to be; empty if all could be read.
    pub field: &'static str,
    /// Which argument that field is of: `row`, `ask`, …
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

/// As plain data a time is a number, on whichever clock.
impl From<Refusal<StoreTime>> for Wrong {
    fn from(refusal: Refusal<StoreTime>) -> Wrong {
        let until = refusal.until.map(|until| HostTime::new(until.get()));
        Refusal { code: refusal.code, until }.into()
    }
}

/// Reads something with fields; `of` names the argument.
///
/// # Errors
/// The refusal, and the field.
pub fn read<T: Fields>(from: impl Source, of: &'static str) -> Result<T, Wrong> {
    read_with(from, of, |from| T::get(from))
}

/// As [`read`], for what has no `Fields`.
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
