//! Tokens, times, ranges, layouts, refusals.

use leafid_core::{Layout, Range, Refusal, StoreTime, Token};

use crate::bindings::leafid::generator::types as wit;
pub use crate::cases::{code, shown_code};

/// 128 bits, the high half first.
pub fn token((high, low): wit::Token) -> Token {
    Token::new((u128::from(high) << 64 | u128::from(low)).to_be_bytes())
}

/// 128 bits, the high half first.
pub fn shown_token(token: Token) -> wit::Token {
    let bits = u128::from_be_bytes(token.bytes());
    ((bits >> 64) as u64, bits as u64)
}

pub fn range(range: wit::Range) -> Range {
    Range::new(range.start, range.end)
}

pub fn shown_range(range: Range) -> wit::Range {
    wit::Range { start: range.start, end: range.end }
}

/// # Errors
/// `LAYOUT_INVALID`.
pub fn layout(layout: wit::Layout) -> Result<Layout, Refusal> {
    let wit::Layout { epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits } = layout;
    Layout::new(epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits)
}

pub fn shown_layout(layout: Layout) -> wit::Layout {
    wit::Layout {
        epoch_ms: layout.epoch_ms(),
        tick_ms: layout.tick_ms(),
        time_bits: layout.time_bits(),
        worker_bits: layout.worker_bits(),
        sequence_bits: layout.sequence_bits(),
    }
}

/// A refusal on either clock.
pub fn refused<T: Into<i64>>(refusal: Refusal<T>) -> wit::Refusal {
    wit::Refusal { code: shown_code(refusal.code), until: refusal.until.map(Into::into) }
}

/// A moment of the store's.
pub fn at(ms: wit::Millis) -> StoreTime {
    StoreTime::new(ms)
}
