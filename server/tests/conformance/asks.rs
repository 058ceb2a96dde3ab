//! Asks of a registry, in its own types.

use leafid_core::{AcquireAsk, Name, Range, SegmentAsk, Token};
use leafid_store::store::NamespaceChange;

pub fn tag() -> Name {
    Name::tag("orders").expect("a tag")
}

pub fn namespace() -> Name {
    Name::namespace("default").expect("a namespace")
}

pub fn request(n: u32) -> Token {
    let mut bytes = [7; 16];
    bytes[..4].copy_from_slice(&n.to_be_bytes());
    Token::new(bytes)
}

pub fn lease(n: u32) -> SegmentAsk {
    SegmentAsk::new(tag(), request(n))
}

/// The ask of an owner that has no other number.
pub fn acquire(n: u32) -> AcquireAsk {
    let owner = Name::owner(&format!("owner-{n}")).expect("an owner");
    AcquireAsk::new(namespace(), request(n), owner)
}

pub fn workers(start: u64, end: u64) -> NamespaceChange {
    NamespaceChange { workers: Some(Range::new(start, end)), ..NamespaceChange::default() }
}
