//! The interface `public-ids`.

use leafid_public::{Alphabet, Problem as Wronged, Scrambler, Wrong};

use crate::Component;
use crate::bindings::exports::leafid::generator::public_ids as wit;
use crate::cases::shown_code;

fn problem(wrong: &Wrong<'_>) -> wit::Problem {
    wit::Problem { code: shown_code(wrong.problem.code()), message: wrong.to_string() }
}

fn alphabet(alphabet: wit::Alphabet) -> Alphabet {
    match alphabet {
        wit::Alphabet::Base58 => Alphabet::Base58,
        wit::Alphabet::Base62 => Alphabet::Base62,
    }
}

impl wit::Guest for Component {
    type Scrambler = Scrambler;

    fn write(in_digits: wit::Alphabet, id: u64) -> Result<String, wit::Problem> {
        let digits = alphabet(in_digits).write(id).map_err(|wronged| problem(&wronged.into()))?;
        Ok(String::from_utf8_lossy(&digits).into_owned())
    }

    fn read(in_digits: wit::Alphabet, text: String) -> Result<u64, wit::Problem> {
        let wrong = |of: Wronged| problem(&Wrong { problem: of, given: &text, prefix: "" });
        alphabet(in_digits).read(&text).map_err(wrong)
    }
}

impl wit::GuestScrambler for Scrambler {
    fn make(
        key: Vec<u8>,
        tag: String,
        prefix: Option<String>,
        in_digits: wit::Alphabet,
    ) -> Result<wit::Scrambler, wit::Problem> {
        let made = Scrambler::new(&key, &tag).and_then(|made| match &prefix {
            Some(prefix) => made.with_prefix(prefix),
            None => Ok(made),
        });
        let made = made.map_err(|wrong| problem(&wrong))?;
        Ok(wit::Scrambler::new(made.with_alphabet(alphabet(in_digits))))
    }

    fn encode(&self, id: u64) -> Result<String, wit::Problem> {
        let text = Scrambler::encode(self, id).map_err(|wrong| problem(&wrong))?;
        Ok(text.as_str().to_owned())
    }

    fn decode(&self, text: String) -> Result<u64, wit::Problem> {
        Scrambler::decode(self, &text).map_err(|wrong| problem(&wrong))
    }

    fn scramble(&self, id: u64) -> Result<u64, wit::Problem> {
        Scrambler::scramble(self, id).map_err(|wrong| problem(&wrong))
    }

    fn unscramble(&self, number: u64) -> Result<u64, wit::Problem> {
        Scrambler::unscramble(self, number).map_err(|wrong| problem(&wrong))
    }
}
