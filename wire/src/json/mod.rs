//! Fields as JSON, and the requests and answers made of them.

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
pub use reader::Reader;
pub use unique::Unique;
pub use writer::{Writer, tree};

/// A user's text, cut to a length for messages.
pub fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(80).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
