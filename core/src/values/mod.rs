//! Plain values, independent of the rest: times, ranges, layouts, names, codes.

mod code;
mod layout;
mod name;
mod range;
mod stats;
mod text;
mod time;
mod token;

pub use code::{Code, Refusal};
pub use layout::{Layout, Parts};
pub use name::{NAME_BYTES, Name};
pub use range::{LINE_END, Range};
pub use stats::Stats;
pub use text::{BASE32_LEN, DECIMAL_LEN, Text};
pub use time::{HostTime, Offset, StoreTime};
pub use token::Token;
