//! The imports: the host's clock, randomness and store.

use leafid_core::{Ask, Code, Failure, Grant, HostTime, Refusal, Release, Token};

use crate::bindings::leafid::generator::{store, types as wit};
use crate::bindings::wasi::clocks::monotonic_clock;
use crate::bindings::wasi::random::random::get_random_u64;
use crate::code_cases::code;
use crate::held::grant;
use crate::values::{Crosses, token};

/// The host's clock, in whole milliseconds. Instants are read as signed, so that a clock may begin
/// below zero; one that begins at zero turns negative after 292 years.
pub fn now() -> HostTime {
    HostTime::new(monotonic_clock::now().cast_signed().div_euclid(1_000_000))
}

/// The 16 random bytes of a request id.
///
/// # Errors
/// `REQUEST_INVALID` for a source that repeats one value, or the bits of the ask `before` this one. Two
/// holders with the same randomness would have the same keys: a store would take the second for a
/// repeat of the first, and grant it the same window.
pub fn entropy(before: Option<Token>) -> Result<[u8; 16], Refusal> {
    let (high, low) = (get_random_u64(), get_random_u64());
    let drawn = token((high, low));
    if before == Some(drawn) || (high == low && get_random_u64() == low) {
        return Err(Code::RequestInvalid.into());
    }
    Ok(drawn.bytes())
}

/// Carries an ask to the imported store.
///
/// # Errors
/// The store's; `GRANT_INVALID` for an answer that cannot be read.
pub fn carry(ask: Ask) -> Result<Grant, Failure> {
    let answer = match ask {
        Ask::Segment(ask) => store::lease_segment(&ask.shown()).map(wit::Grant::Segment),
        Ask::Acquire(ask) => store::acquire(&ask.shown()).map(wit::Grant::Window),
        Ask::Renew(ask) => store::renew(&ask.shown()).map(wit::Grant::Window),
    };
    let failed =
        |wit::Failure { code: why, retry_after_ms }| Failure { code: code(why), retry_after_ms };
    grant(answer.map_err(failed)?).map_err(|_| Code::GrantInvalid.into())
}

/// Gives the rest of a window back to the imported store.
///
/// # Errors
/// The store's.
pub fn give_back(release: Release) -> Result<(), Refusal> {
    store::give_back(&release.shown()).map_err(|no| Refusal::new(code(no.code)))
}
