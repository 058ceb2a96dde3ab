//! Why there is no grant.

use leafid_core::Code;

use super::reader::Reader;
use crate::{FieldReader, advice, http_status};

/// Why an answer is no grant, or a request none that is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The store's code, or the one for a status without a code.
    pub code: Code,
    /// The message for people.
    pub detail: String,
    /// How long to wait at least, in ms.
    pub retry_after_ms: Option<u32>,
    /// When the first worker number is free, in ms since 1970 on the store's clock.
    pub free_at_ms: Option<i64>,
}

impl Problem {
    /// A code with a message of this side.
    pub fn new(code: Code, detail: impl Into<String>) -> Problem {
        Problem { code, detail: detail.into(), retry_after_ms: None, free_at_ms: None }
    }

    /// Reads an `application/problem+json` of a store; `None` without a code that a store can answer
    /// with.
    pub fn read(from: &mut Reader) -> Option<Problem> {
        let code = from.text("code", Code::parse).ok()??;
        // Some codes exist inside a host only.
        let code = code.filter(|code| http_status(*code).is_some())?;
        let mut text = |field| from.text(field, str::to_owned).ok().flatten();
        let detail = text("detail").or_else(|| text("title"));
        Some(Problem {
            code,
            detail: detail.unwrap_or_else(|| advice(code).to_owned()),
            retry_after_ms: retry_after_ms(from),
            free_at_ms: from.millis("free_at_ms").ok().flatten(),
        })
    }
}

/// The pause that a body demands, if any.
pub fn retry_after_ms(from: &mut Reader) -> Option<u32> {
    let ms = from.number("retry_after_ms").ok()??;
    Some(u32::try_from(ms).unwrap_or(u32::MAX))
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

impl std::error::Error for Problem {}
