//! `leafid.public`: encrypted IDs that may be shown to the outside.

use std::borrow::Cow;

use leafid_core::{Code, LINE_END};
use leafid_public::{Alphabet, Problem};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::values::{Text, errors, whole_number};

/// Converts the IDs of one tag (or namespace) to public texts, such as `order_7Xk2mPq9RtB`, and back.
///
/// `key` is 16 or 32 random bytes; keep it for as long as texts are in use. `prefix` names the kind of
/// thing, and texts with another prefix are refused. `alphabet` is `base58` or `base62`; a text has 11
/// digits in either. The cipher is FF1 of NIST SP 800-38G over 63 bits, with the tag as its tweak.
///
/// A text gives no permission: check what its user may access. There is no check digit: a typo decodes
/// to another number of 63 bits, practically never one of your IDs.
#[pyclass(frozen, module = "leafid.public")]
pub struct Scrambler(leafid_public::Scrambler);

#[pymethods]
impl Scrambler {
    #[new]
    #[pyo3(signature = (key, tag, *, prefix = None, alphabet = Text::new("base58".to_owned())),
        text_signature = "(key, tag, *, prefix=None, alphabet=\"base58\")")]
    fn new(
        key: &Bound<'_, PyAny>,
        tag: Text,
        prefix: Option<Text>,
        alphabet: Text,
    ) -> PyResult<Scrambler> {
        let Ok(key) = key.extract::<Cow<'_, [u8]>>() else {
            let kind = key.get_type().name()?;
            let message = format!("`key` must be 16 or 32 random `bytes`, got a `{kind}`");
            return Err(errors::wrong_type(message));
        };
        let alphabet = named(&alphabet.get("alphabet")?)?;
        let tag = tag.get("tag")?;
        let mut scrambler =
            leafid_public::Scrambler::new(&key, &tag).map_err(raised)?.with_alphabet(alphabet);
        if let Some(prefix) = prefix {
            let prefix = prefix.get("prefix")?;
            scrambler = scrambler.with_prefix(&prefix).map_err(raised)?;
        }
        Ok(Scrambler(scrambler))
    }

    /// The public text of an ID.
    fn encode(&self, id: &Bound<'_, PyAny>) -> PyResult<String> {
        self.0.encode(checked_id(id)?).map_err(raised)
    }

    /// The ID of a public text. Raises `IdInvalidError` for another prefix, length or alphabet.
    fn decode(&self, text: Text) -> PyResult<u64> {
        self.0.decode(&text.get("text")?).map_err(raised)
    }

    /// The ID scrambled to another number of 63 bits, for use where a number is needed.
    fn scramble(&self, id: &Bound<'_, PyAny>) -> PyResult<u64> {
        self.0.scramble(checked_id(id)?).map_err(raised)
    }

    /// The ID that was scrambled to this number.
    fn unscramble(&self, number: &Bound<'_, PyAny>) -> PyResult<u64> {
        self.0.unscramble(checked_id(number)?).map_err(raised)
    }

    /// Without the key.
    fn __repr__(&self) -> String {
        match (self.0.tag(), self.0.prefix()) {
            (tag, "") => format!("Scrambler(…, {tag:?})"),
            (tag, prefix) => format!("Scrambler(…, {tag:?}, prefix={prefix:?})"),
        }
    }

    fn __reduce__(&self) -> PyResult<()> {
        let message = "a `Scrambler` is not pickled, because its key would be: create another one";
        Err(PyTypeError::new_err(message))
    }
}

/// 11 digits without `0`, `O`, `I` and `l`: they sort as the numbers do.
#[pyfunction]
#[pyo3(signature = (id, /))]
pub fn base58(id: &Bound<'_, PyAny>) -> PyResult<String> {
    written(Alphabet::Base58, id)
}

/// 11 digits of `0-9A-Za-z`: they sort as the numbers do.
#[pyfunction]
#[pyo3(signature = (id, /))]
pub fn base62(id: &Bound<'_, PyAny>) -> PyResult<String> {
    written(Alphabet::Base62, id)
}

/// The ID of a base58 form. Strict: 11 digits.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub fn parse_base58(text: &str) -> PyResult<u64> {
    read(Alphabet::Base58, text)
}

/// The ID of a base62 form. Strict: 11 digits.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub fn parse_base62(text: &str) -> PyResult<u64> {
    read(Alphabet::Base62, text)
}

fn written(alphabet: Alphabet, id: &Bound<'_, PyAny>) -> PyResult<String> {
    alphabet.write(checked_id(id)?).map_err(raised)
}

fn read(alphabet: Alphabet, text: &str) -> PyResult<u64> {
    alphabet.read(text).map_err(raised)
}

fn named(alphabet: &str) -> PyResult<Alphabet> {
    let known = [Alphabet::Base58, Alphabet::Base62];
    known.into_iter().find(|known| known.name() == alphabet).ok_or_else(|| {
        let message = format!("`alphabet` must be `base58` or `base62`, got `{alphabet}`");
        errors::raise(Code::RequestInvalid, message)
    })
}

fn checked_id(id: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole_number("id", id, 0, LINE_END, Code::IdInvalid)
}

fn raised(problem: Problem) -> PyErr {
    errors::raise(problem.code, problem.message)
}
