//! Tokens of 16 bytes: request ids, keys, the ids of stores.

use leafid_core::{Code, Token};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::values::{errors, utf8};

/// A token as an argument: 16 `bytes`, or 32 hex digits.
pub struct TokenArg(pub Token);

impl TokenArg {
    /// The token as 32 hex digits.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.to_hex()).into_owned()
    }
}

impl<'py> FromPyObject<'_, 'py> for TokenArg {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<TokenArg> {
        let token = match value.cast::<PyBytes>() {
            Ok(bytes) => <[u8; 16]>::try_from(bytes.as_bytes()).ok().map(Token::new),
            Err(_) => {
                let text = value.cast::<PyString>()?;
                Token::parse(&utf8(&text)?).ok()
            }
        };
        token.map(TokenArg).ok_or_else(|| {
            errors::raise(Code::RequestInvalid, "a token is 16 bytes, or 32 lower-case hex digits")
        })
    }
}
