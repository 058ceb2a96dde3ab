//! The trace that a request is a part of, as W3C Trace Context has it: its ids stand in every line of
//! the log, and the answer repeats the header.

use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// The header, in requests and in answers.
pub const HEADER: HeaderName = HeaderName::from_static("traceparent");

/// A `traceparent` that is well-formed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// As it came.
    pub value: HeaderValue,
    id: String,
    span: String,
}

impl Trace {
    /// The one that a request has, given once. A trace whose ids the body has too is not taken over:
    /// they may be the `request` or `key` of a lease.
    pub fn given(headers: &HeaderMap, body: &[u8]) -> Option<Trace> {
        let mut values = headers.get_all(HEADER).iter();
        let value = values.next().filter(|_| values.next().is_none())?;
        let (id, span) = parts(value.to_str().ok()?)?;
        let repeated = |text: &str| body.windows(text.len()).any(|part| part == text.as_bytes());
        if repeated(id) || repeated(span) {
            return None;
        }
        Some(Trace { id: id.to_owned(), span: span.to_owned(), value: value.clone() })
    }

    /// The trace, in 32 hex digits.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The caller's part of it, in 16 hex digits.
    pub fn span(&self) -> &str {
        &self.span
    }
}

/// The ids of the trace and of the caller's part of it.
fn parts(parent: &str) -> Option<(&str, &str)> {
    let is_hex = |text: &str, digits| {
        text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_zero = |text: &str| text.bytes().all(|byte| byte == b'0');
    let mut parts = parent.splitn(5, '-');
    let (version, trace) = (parts.next()?, parts.next()?);
    let (span, flags, more) = (parts.next()?, parts.next()?, parts.next());
    let is_valid = is_hex(version, 2)
        && version != "ff"
        && is_hex(trace, 32)
        && !is_zero(trace)
        && is_hex(span, 16)
        && !is_zero(span)
        && is_hex(flags, 2)
        // Later versions may say more.
        && (version != "00" || more.is_none());
    is_valid.then_some((trace, span))
}
