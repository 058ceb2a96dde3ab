//! Words a refusal: what happened to what, and what to do.

use core::fmt;

use leafid_core::{Code, LINE_END, Text};

use crate::code::{advice, event};

/// The subject of a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// A tag of this name.
    Tag(&'a str),
    /// A namespace of this name.
    Namespace(&'a str),
    /// Anything else, in words that begin a sentence: ``ID `5` ``.
    Other(&'a str),
}

impl<'a> Subject<'a> {
    /// A `tag` or a `namespace` of this name; of any other kind, `name` is used as is.
    pub fn of(kind: &str, name: &'a str) -> Subject<'a> {
        match kind {
            "tag" => Subject::Tag(name),
            "namespace" => Subject::Namespace(name),
            _ => Subject::Other(name),
        }
    }

    /// Writes the advice of a code, with the name put into its command, as the last word.
    fn advise(&self, advice: &str, put: &mut impl FnMut(&str)) {
        let (place, name) = match *self {
            Subject::Tag(name) => (" TAG`", name),
            Subject::Namespace(name) => (" NAMESPACE`", name),
            Subject::Other(_) => return put(advice),
        };
        // Not `split_once`: the compiler cannot prove that its search does not panic.
        match advice.strip_suffix(place) {
            Some(command) => {
                put(command);
                put(" ");
                shown(name, put);
                put("`");
            }
            None => put(advice),
        }
    }

    fn pieces(&self, put: &mut impl FnMut(&str)) {
        let (kind, name) = match *self {
            Subject::Tag(name) => ("tag `", name),
            Subject::Namespace(name) => ("namespace `", name),
            Subject::Other(words) => return shown(words, put),
        };
        put(kind);
        shown(name, put);
        put("`");
    }
}

impl fmt::Display for Subject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        format(f, |mut put| self.pieces(&mut put))
    }
}

/// A refusal in words, the same in every host: what happened to what, and what to do.
///
/// ```
/// use leafid_core::Code;
/// use leafid_wire::{Sentence, Subject};
/// let orders = Subject::Tag("orders");
/// let unknown = Sentence::new(Code::TagUnknown, orders);
/// assert_eq!(
///     unknown.to_string(),
///     "tag `orders` does not exist: check its spelling, or create it with `leafid tag create orders`"
/// );
/// let many = Sentence { most: Some(100), ..Sentence::new(Code::CountInvalid, orders) };
/// assert_eq!(
///     many.to_string(),
///     "tag `orders` gives at most 100 IDs at once: ask for fewer IDs at once"
/// );
/// let full = Sentence::new(Code::WorkersExhausted, Subject::Namespace("default"));
/// assert_eq!(
///     Sentence { wait_ms: Some(2_500), ..full }.to_string(),
///     "namespace `default` has no free worker number, the first is free in 3 s: \
///      wait until one is free, or give the namespace more"
/// );
/// let forged = Sentence::new(Code::TagInvalid, Subject::Tag("a\nb")).to_string();
/// assert!(forged.starts_with("tag `a\u{fffd}b` is not a valid name"), "no line of its own in a log");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentence<'a> {
    /// The code.
    pub code: Code,
    /// The subject.
    pub subject: Subject<'a>,
    /// How many IDs can be had at once, for `COUNT_INVALID`.
    pub most: Option<u64>,
    /// How long to wait, in ms, if that is known.
    pub wait_ms: Option<u64>,
}

impl<'a> Sentence<'a> {
    /// A sentence without figures.
    pub const fn new(code: Code, subject: Subject<'a>) -> Sentence<'a> {
        Sentence { code, subject, most: None, wait_ms: None }
    }
}

impl Sentence<'_> {
    /// Gives the sentence piece by piece, for hosts that build a text without `core::fmt`, which is 10 KB
    /// of WebAssembly.
    ///
    /// ```
    /// use leafid_core::Code;
    /// use leafid_wire::{Sentence, Subject};
    /// let mut text = String::new();
    /// Sentence::new(Code::Closed, Subject::Tag("orders")).pieces(|piece| text.push_str(piece));
    /// assert_eq!(text, "tag `orders` is closed: create a new one");
    /// ```
    pub fn pieces(&self, mut put: impl FnMut(&str)) {
        self.subject.pieces(&mut put);
        put(" ");
        match (self.code, self.most) {
            (Code::CountInvalid, Some(most)) => {
                put("gives at most ");
                number(most, &mut put);
                put(" IDs at once");
            }
            _ => put(event(self.code)),
        }
        match (self.code, self.wait_ms) {
            (_, None | Some(0)) => {}
            (Code::WorkersExhausted, Some(ms)) => {
                put(", the first is free in ");
                number(ms.div_ceil(1_000), &mut put);
                put(" s");
            }
            (_, Some(ms)) => {
                put(", for ");
                number(ms, &mut put);
                put(" ms");
            }
        }
        put(": ");
        self.subject.advise(advice(self.code), &mut put);
    }
}

/// Writes a caller's text with `\u{fffd}` for each control character: a line break in a name would add
/// a forged line to a log.
fn shown(given: &str, put: &mut impl FnMut(&str)) {
    let mut parts = given.split(char::is_control);
    put(parts.next().unwrap_or(""));
    for part in parts {
        put("\u{fffd}");
        put(part);
    }
}

/// Writes a count or a wait, at most 2^63 - 1.
fn number(n: u64, put: &mut impl FnMut(&str)) {
    if let Ok(text) = Text::decimal(n.min(LINE_END)) {
        put(text.as_str());
    }
}

fn format(f: &mut fmt::Formatter<'_>, give: impl FnOnce(&mut dyn FnMut(&str))) -> fmt::Result {
    let mut written = Ok(());
    give(&mut |piece| {
        if written.is_ok() {
            written = f.write_str(piece);
        }
    });
    written
}

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        format(f, |put| self.pieces(put))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    extern crate std;
    use std::string::ToString;

    #[test]
    fn every_place_for_a_name_is_filled() {
        let mut filled = 0;
        for code in Code::ALL {
            for (kind, place) in [("tag", "TAG"), ("namespace", "NAMESPACE")] {
                if advice(*code).split(|c: char| !c.is_alphabetic()).any(|word| word == place) {
                    let said = Sentence::new(*code, Subject::of(kind, "x1")).to_string();
                    assert!(said.ends_with(" x1`") && !said.contains(place), "{said}");
                    filled += 1;
                }
            }
        }
        assert_eq!(filled, 2);
    }
}
