//! Converts tokens, times, ranges, layouts, refusals, and records of them.

use leafid_core::{Code, Layout, Range, Refusal, StoreTime, Token};

use crate::bindings::leafid::generator::types as wit;
use crate::code_cases::{code, shown_code};

/// A type of the core that `wit/` defines in another shape.
pub trait Crosses: Sized {
    type Shown;

    /// # Errors
    /// The codes of names and layouts.
    fn read(shown: Self::Shown) -> Result<Self, Refusal>;
    fn shown(self) -> Self::Shown;
}

/// Types that convert without errors.
macro_rules! crossing {
    ($($own:ty, $shown:ty, $read:expr, $show:expr;)+) => { $(
        impl Crosses for $own {
            type Shown = $shown;

            fn read(shown: $shown) -> Result<Self, Refusal> {
                Ok($read(shown))
            }

            fn shown(self) -> $shown {
                $show(self)
            }
        }
    )+ };
}

crossing! {
    bool, bool, |flag| flag, |flag| flag;
    u32, u32, |number| number, |number| number;
    u64, u64, |number| number, |number| number;
    i64, i64, |number| number, |number| number;
    Code, wit::Code, code, shown_code;
    Token, wit::Token, token, shown_token;
    StoreTime, wit::Millis, at, StoreTime::get;
    Range, wit::Range, range, |range: Range| wit::Range { start: range.start, end: range.end };
}

impl<T: Crosses> Crosses for Option<T> {
    type Shown = Option<T::Shown>;

    fn read(shown: Self::Shown) -> Result<Self, Refusal> {
        shown.map(T::read).transpose()
    }

    fn shown(self) -> Self::Shown {
        self.map(T::shown)
    }
}

impl Crosses for Layout {
    type Shown = wit::Layout;

    fn read(shown: wit::Layout) -> Result<Self, Refusal> {
        let wit::Layout { epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits } = shown;
        Layout::new(epoch_ms, tick_ms, time_bits, worker_bits, sequence_bits)
    }

    fn shown(self) -> wit::Layout {
        wit::Layout {
            epoch_ms: self.epoch_ms(),
            tick_ms: self.tick_ms(),
            time_bits: self.time_bits(),
            worker_bits: self.worker_bits(),
            sequence_bits: self.sequence_bits(),
        }
    }
}

/// Records with the same field names on both sides; a field with a path is a text, read by that
/// function.
macro_rules! records {
    ($($shown:ident::$own:ident { $($name:ident: $read:path),*; $($field:ident),* })+) => { $(
        impl $crate::values::Crosses for $own {
            type Shown = $shown::$own;

            fn read(shown: Self::Shown) -> Result<Self, leafid_core::Refusal> {
                Ok(Self {
                    $($name: $read(&shown.$name)?,)*
                    $($field: $crate::values::Crosses::read(shown.$field)?,)*
                })
            }

            fn shown(self) -> Self::Shown {
                $shown::$own {
                    $($name: self.$name.as_str().to_owned(),)*
                    $($field: $crate::values::Crosses::shown(self.$field),)*
                }
            }
        }
    )+ };
}
pub(crate) use records;

/// 128 bits, the high half first.
pub fn token((high, low): wit::Token) -> Token {
    Token::new((u128::from(high) << 64 | u128::from(low)).to_be_bytes())
}

fn shown_token(token: Token) -> wit::Token {
    let bits = u128::from_be_bytes(token.bytes());
    ((bits >> 64) as u64, bits as u64)
}

pub fn range(range: wit::Range) -> Range {
    Range::new(range.start, range.end)
}

/// A time of the store.
pub fn at(ms: wit::Millis) -> StoreTime {
    StoreTime::new(ms)
}

impl<T: Into<i64>> From<Refusal<T>> for wit::Refusal {
    fn from(refusal: Refusal<T>) -> Self {
        wit::Refusal { code: shown_code(refusal.code), until: refusal.until.map(Into::into) }
    }
}

impl From<leafid_bindings::Wrong> for wit::Refusal {
    fn from(wrong: leafid_bindings::Wrong) -> Self {
        wrong.refusal.into()
    }
}
