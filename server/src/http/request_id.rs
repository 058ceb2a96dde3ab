//! The id of a request: it stands in the answer, in its problem, and in every line of the log.
//!
//! It is not the `request` of a lease, which is a secret of its holder and is never logged.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::http::{HeaderMap, HeaderName};
use leafid_core::Token;
use leafid_store::hex::hex;
use leafid_store::random;

use super::trace::Trace;

/// The header of an id, in requests and in answers.
pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");
/// The longest id that is taken over.
const MOST_BYTES: usize = 128;

/// The id of a request: letters, digits and `._:=+/@-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// A new one: random bytes of this process, and a count.
    pub fn fresh() -> RequestId {
        static PROCESS: LazyLock<u64> =
            LazyLock::new(|| random::bytes().map_or(0, u64::from_le_bytes));
        static COUNT: AtomicU64 = AtomicU64::new(1);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let digits = (u128::from(*PROCESS) << 64 | u128::from(count)).to_be_bytes();
        RequestId(hex(Token::new(digits)))
    }

    /// The one that the caller or a proxy gave: `X-Request-Id`, or the trace of a `traceparent`.
    /// A text that the body has too is not taken over: it may be the `request` or `key` of a lease.
    pub fn given(headers: &HeaderMap, body: &[u8], trace: Option<&Trace>) -> Option<RequestId> {
        let said = once(headers, HEADER).filter(|id| is_well_formed(id));
        let id = said.or_else(|| trace.map(Trace::id))?;
        let repeated = body.windows(id.len()).any(|part| part == id.as_bytes());
        (!repeated).then(|| RequestId(id.to_owned()))
    }

    /// It as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for RequestId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The value of a header that is given once, and is text.
fn once(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

fn is_well_formed(id: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"._:=+/@-".contains(&byte);
    (1..=MOST_BYTES).contains(&id.len()) && id.bytes().all(is_known)
}
