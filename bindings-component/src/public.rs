//! The interface `public-ids`.

use leafid_public::{Alphabet, Problem, Scrambler};

use crate::Component;
use crate::bindings::exports::leafid::generator::public_ids as wit;
use crate::code_cases::shown_code;

impl From<Problem> for wit::Problem {
    fn from(problem: Problem) -> Self {
        wit::Problem { code: shown_code(problem.code), message: problem.message }
    }
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
        Ok(alphabet(in_digits).write(id)?)
    }

    fn read(in_digits: wit::Alphabet, text: String) -> Result<u64, wit::Problem> {
        Ok(alphabet(in_digits).read(&text)?)
    }
}

impl wit::GuestScrambler for Scrambler {
    fn make(
        key: Vec<u8>,
        tag: String,
        prefix: Option<String>,
        in_digits: wit::Alphabet,
    ) -> Result<wit::Scrambler, wit::Problem> {
        let mut made = Scrambler::new(&key, &tag)?;
        if let Some(prefix) = &prefix {
            made = made.with_prefix(prefix)?;
        }
        Ok(wit::Scrambler::new(made.with_alphabet(alphabet(in_digits))))
    }

    fn encode(&self, id: u64) -> Result<String, wit::Problem> {
        Ok(Scrambler::encode(self, id)?)
    }

    fn decode(&self, text: String) -> Result<u64, wit::Problem> {
        Ok(Scrambler::decode(self, &text)?)
    }

    fn scramble(&self, id: u64) -> Result<u64, wit::Problem> {
        Ok(Scrambler::scramble(self, id)?)
    }

    fn unscramble(&self, number: u64) -> Result<u64, wit::Problem> {
        Ok(Scrambler::unscramble(self, number)?)
    }
}
