//! Fields as JSON, and what a client and a server say in it.

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
