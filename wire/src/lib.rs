//! The wire of leafid: what passes between a holder and a store over HTTP, without the HTTP.
//!
//! What the fields are is the core's to say ([`leafid_core::Fields`]); here they become JSON and
//! come back. Both ends use the same three things:
//!
//! - [`Writer`] writes an object straight into a text;
//! - [`Reader`] reads one: of a request every field must be known ([`Reader::all`]), of an answer
//!   unknown ones are ignored ([`Reader::known`]);
//! - [`path`] has the paths of the API.
//!
//! A client needs two more, whatever carries its requests: [`Call`] is the path and body of an ask,
//! [`Answer`] what came back, read as a grant or as the [`Problem`] that it is instead.

mod answer;
mod call;
pub mod path;
mod problem;
mod reader;
mod unique;
mod writer;

pub use answer::{Answer, LONGEST_ANSWER};
pub use call::Call;
pub use problem::Problem;
pub use reader::{Invalid, Reader};
pub use unique::Unique;
pub use writer::{Writer, tree};

/// A user's text, cut to a length that a message can carry.
pub fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(80).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
