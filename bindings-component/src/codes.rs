//! The interface `codes`.

use leafid_core::Code;
use leafid_wire::{Sentence, Subject, advice, from_http, http_status};

use crate::Component;
use crate::bindings::exports::leafid::generator::codes::{self, Facts, Guest};
use crate::bindings::leafid::generator::types as wit;
use crate::code_cases::{code as known, shown_code};

impl Guest for Component {
    fn about(code: wit::Code) -> Facts {
        let code = known(code);
        Facts {
            name: code.as_str().to_owned(),
            http: http_status(code),
            permanent: code.is_permanent(),
            stops: code.stops(),
            advice: advice(code).to_owned(),
        }
    }

    fn parse(name: String) -> Option<wit::Code> {
        // Half the size of `Code::parse`, which has a branch per name.
        Code::ALL.iter().copied().find(|code| code.as_str() == name).map(shown_code)
    }

    fn from_http(status: u16) -> wit::Code {
        shown_code(from_http(status))
    }

    fn sentence(
        code: wit::Code,
        subject: codes::Subject,
        most: Option<u64>,
        wait_ms: Option<u64>,
    ) -> String {
        let subject = match &subject {
            codes::Subject::Tag(name) => Subject::Tag(name),
            codes::Subject::Namespace(name) => Subject::Namespace(name),
            codes::Subject::Other(words) => Subject::Other(words),
        };
        let mut text = String::new();
        Sentence { code: known(code), subject, most, wait_ms }
            .pieces(|piece| push(&mut text, piece));
        text
    }
}

/// Not inlined, so that it is compiled once and not for every piece of a sentence.
#[inline(never)]
fn push(text: &mut String, piece: &str) {
    text.push_str(piece);
}
