//! The error table, as data.

use alloc::string::String;

use leafid_core::Code;
use leafid_wire::{Sentence, Subject};

/// A code, of which all that the table says is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts(pub Code);

/// Every code, in the order of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    Code::ALL.iter().map(|code| code.as_str())
}

/// The code of an HTTP answer that came without one.
pub fn from_http(status: u16) -> &'static str {
    leafid_wire::from_http(status).as_str()
}

/// A refusal in words, about a `tag` or a `namespace` of this name; of any other kind, `name` are
/// the words for it. `most` is how many IDs can be had at once, `wait_ms` how long to wait. A code
/// that nobody knows is `INTERNAL`'s.
pub fn sentence(
    code: &str,
    kind: &str,
    name: &str,
    most: Option<u64>,
    wait_ms: Option<u64>,
) -> String {
    let code = Code::parse(code).unwrap_or(Code::Internal);
    let mut text = String::new();
    Sentence { code, subject: Subject::of(kind, name), most, wait_ms }
        .pieces(|piece| text.push_str(piece));
    text
}

/// What the table says of a code, if there is one of this name.
pub fn facts(name: &str) -> Option<Facts> {
    Code::parse(name).map(Facts)
}
