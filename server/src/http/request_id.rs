//! The id of a request, which is in the answer, in its problem and in every line of the log; and the trace
//! of the request, by W3C Trace Context.
//!
//! Neither is the `request` of a lease: that is a secret of its holder, and never logged.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use leafid_core::Token;
use leafid_store::hex;
use leafid_store::random;

pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");
pub const TRACE: HeaderName = HeaderName::from_static("traceparent");
const MOST_BYTES: usize = 128;

/// A well-formed `traceparent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    pub value: HeaderValue,
    pub id: String,
    pub span: String,
}

pub fn fresh() -> String {
    static PROCESS: LazyLock<u64> = LazyLock::new(|| random::bytes().map_or(0, u64::from_le_bytes));
    static COUNT: AtomicU64 = AtomicU64::new(1);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    hex(Token::new((u128::from(*PROCESS) << 64 | u128::from(count)).to_be_bytes()))
}

/// The id that the caller or a proxy gave: `X-Request-Id`, or the trace of a `traceparent`; letters, digits
/// and `._:=+/@-`.
pub fn given(headers: &HeaderMap, body: &[u8], trace: Option<&Trace>) -> Option<String> {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"._:=+/@-".contains(&byte);
    let is_well_formed =
        |id: &&str| (1..=MOST_BYTES).contains(&id.len()) && id.bytes().all(is_known);
    let said = once(headers, HEADER).and_then(|value| value.to_str().ok());
    let id = said.filter(is_well_formed).or_else(|| trace.map(|trace| trace.id.as_str()))?;
    (!repeats(body, id)).then(|| id.to_owned())
}

impl Trace {
    /// The request's trace; `None` unless its header is there exactly once.
    pub fn given(headers: &HeaderMap, body: &[u8]) -> Option<Trace> {
        let value = once(headers, TRACE)?;
        let (id, span) = parts(value.to_str().ok()?)?;
        let is_secret = repeats(body, id) || repeats(body, span);
        (!is_secret).then(|| Trace {
            value: value.clone(),
            id: id.to_owned(),
            span: span.to_owned(),
        })
    }
}

/// Whether the body has this text, too: then it may be the `request` or `key` of a lease, and is not used.
fn repeats(body: &[u8], text: &str) -> bool {
    body.windows(text.len()).any(|part| part == text.as_bytes())
}

fn once(headers: &HeaderMap, name: HeaderName) -> Option<&HeaderValue> {
    let mut values = headers.get_all(name).iter();
    values.next().filter(|_| values.next().is_none())
}

fn parts(parent: &str) -> Option<(&str, &str)> {
    let is_hex = |text: &str, digits| {
        text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_zero = |text: &str| text.bytes().all(|byte| byte == b'0');
    let parts: Vec<&str> = parent.split('-').collect();
    let [version, trace, span, flags, ref more @ ..] = parts[..] else { return None };
    let is_valid = is_hex(version, 2)
        && version != "ff"
        && is_hex(trace, 32)
        && !is_zero(trace)
        && is_hex(span, 16)
        && !is_zero(span)
        && is_hex(flags, 2)
        // Later versions may have more fields.
        && (version != "00" || more.is_empty());
    is_valid.then_some((trace, span))
}
