//! The error table, as data.

use alloc::string::String;

use leafid_core::Code;
use leafid_wire::{Sentence, Subject};

/// A code, written with all facts of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts(pub Code);

/// Every code, in the order of the table.
pub fn names() -> impl Iterator<Item = &'static str> {
    Code::ALL.iter().map(|code| code.as_str())
}

/// The code for an HTTP answer without one.
pub fn from_http(status: u16) -> &'static str {
    leafid_wire::from_http(status).as_str()
}

/// A refusal in words, about a `tag` or a `namespace` of this name; of any other kind, `name` is used
/// as is. `most` is how many IDs can be had at once, `wait_ms` how long to wait. An unknown code is
/// read as `INTERNAL`.
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

/// The facts of the code of this name, if there is one.
pub fn facts(name: &str) -> Option<Facts> {
    Code::parse(name).map(Facts)
}
