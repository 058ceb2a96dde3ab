//! Conversion between Python and the core: dicts, layouts, IDs as text, buffers, errors, calls.

pub mod dict;
pub mod errors;
pub mod outside;

mod arguments;
mod buffer;
mod layout;
mod layout_arg;
mod public;
mod text;
mod token;
mod typed;

pub use arguments::{
    Moment, Nearest, Now, checked_timeout, cut, whole_ms, whole_number, worker_range,
};
pub use buffer::Buffer;
pub use errors::OrRaise;
pub use layout::PyLayout;
pub use layout_arg::{LayoutArg, decode};
pub use public::{Scrambler, base58, base62, parse_base58, parse_base62};
pub use text::{base32, decimal, parse_base32, parse_decimal};
pub use token::TokenArg;
pub use typed::{FilePath, Seconds, Text, utf8};
