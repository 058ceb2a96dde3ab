//! Bodies of requests and answers: JSON.

use leafid_core::registry::{NamespaceSpec, TagRow, TagSpec, WorkerRow};
use leafid_core::{AcquireAsk, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant};
use leafid_store::json::{Reader, Writer};
use leafid_store::store::{Aside, TagChange};
use leafid_wire::Fields;

use super::{Fate, Target};

const WORDS: &str = "\\u0000 | \\ud800 | \\u0061 | null | true | -1 | 1e400 | 1.0 | 9007199254740992 | \
    \"9223372036854775807\" | \"18446744073709551616\" | \"00\" | \"tag\": | \"request\": | \"layout\": | \
    \"workers\": | \"until\": | \"exactly\": | \"step\":4294967296 | \"tag\":\"a\",\"tag\":\"b\"";

/// Writes an accepted body again, and expects to read the same value from it.
fn same<T: Fields + PartialEq + std::fmt::Debug>(input: &[u8]) -> Result<Fate, String> {
    let read = |bytes: &[u8]| Reader::parse(bytes).and_then(|reader| reader.all(T::get));
    let Ok(value) = read(input) else { return Ok(Fate::Refused) };
    let written = Writer::object(&value);
    match read(written.as_bytes()) {
        Ok(again) if again == value => Ok(Fate::Taken),
        again => Err(format!("{value:?} is written as `{written}`, and read as {again:?}")),
    }
}

#[test]
fn bodies() {
    let target = Target { name: "bodies", inputs: 4_000, words: WORDS };
    target.fuzz(|input| {
        let fates = [
            same::<SegmentAsk>(input)?,
            same::<AcquireAsk>(input)?,
            same::<RenewAsk>(input)?,
            same::<Release>(input)?,
            same::<SegmentGrant>(input)?,
            same::<WindowGrant>(input)?,
            same::<TagSpec>(input)?,
            same::<TagRow>(input)?,
            same::<NamespaceSpec>(input)?,
            same::<WorkerRow>(input)?,
            Fate::from(&Reader::parse(input).and_then(|reader| reader.all(TagChange::get))),
            Fate::from(&Reader::parse(input).and_then(|reader| reader.all(Aside::get))),
        ];
        Ok(if fates.contains(&Fate::Taken) { Fate::Taken } else { Fate::Refused })
    });
}
