//! The error table, as data.

use leafid_core::Code;

/// A code, of which all that the table says is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts(pub Code);

/// Every code, in the order of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    Code::ALL.iter().map(|code| code.as_str())
}

/// The code of an HTTP answer that came without one.
pub fn from_http(status: u16) -> &'static str {
    Code::from_http(status).as_str()
}

/// What the table says of a code, if there is one of this name.
pub fn facts(name: &str) -> Option<Facts> {
    Code::parse(name).map(Facts)
}
