//! Public IDs: a scrambler and its digits.

use leafid_public::{Alphabet, Problem, Scrambler};
use serde_json::{Value, json};

use crate::compare::run;
use crate::json::{number, text};

pub fn replay(script: &Value) -> Result<(), String> {
    match (built(script)?, script.get("gives")) {
        (Ok(scrambler), None) => run(script, |step| take(&scrambler, step)),
        (Ok(_), Some(expected)) => Err(format!("it was built: expected {expected}")),
        (Err(got), Some(expected)) if got == *expected => Ok(()),
        (Err(got), expected) => Err(format!("building: expected {expected:?}, got {got}")),
    }
}

fn built(script: &Value) -> Result<Result<Scrambler, Value>, String> {
    let key = text(script, "key")?;
    let byte = |at: usize| u8::from_str_radix(&key[at..at + 2], 16).map_err(|e| e.to_string());
    let key: Vec<u8> = (0..key.len()).step_by(2).map(byte).collect::<Result<_, _>>()?;
    let with_prefix = |scrambler: Scrambler| match script["prefix"].as_str() {
        Some(prefix) => scrambler.with_prefix(prefix),
        None => Ok(scrambler),
    };
    let alphabet = match script["alphabet"].as_str() {
        None | Some("base58") => Alphabet::Base58,
        Some("base62") => Alphabet::Base62,
        Some(other) => return Err(format!("there is no alphabet `{other}`")),
    };
    let built = Scrambler::new(&key, text(script, "tag")?).and_then(with_prefix);
    Ok(built.map(|built| built.with_alphabet(alphabet)).map_err(refused))
}

fn refused(problem: Problem) -> Value {
    json!({ "code": problem.code.as_str() })
}

fn take(by: &Scrambler, step: &Value) -> Result<Value, String> {
    let id = || number(step, "id");
    let given = || text(step, "text");
    let told = |id: u64| json!(id.to_string());
    let digits = |text: String| json!(text);
    let gave = match text(step, "do")? {
        "scramble" => by.scramble(id()?).map(told).map_err(refused),
        "unscramble" => by.unscramble(id()?).map(told).map_err(refused),
        "encode" => by.encode(id()?).map(digits).map_err(refused),
        "decode" => by.decode(given()?).map(told).map_err(refused),
        "base58" => Alphabet::Base58.write(id()?).map(digits).map_err(refused),
        "base62" => Alphabet::Base62.write(id()?).map(digits).map_err(refused),
        "parse_base58" => Alphabet::Base58.read(given()?).map(told).map_err(refused),
        "parse_base62" => Alphabet::Base62.read(given()?).map(told).map_err(refused),
        other => return Err(format!("there is no step `{other}`")),
    };
    Ok(gave.unwrap_or_else(|refused| refused))
}
