//! The arguments of a verb: flags, and options with a value; unknown ones are refused.

use crate::Outcome;

/// The arguments of a verb, taken out piece by piece; [`Args::finish`] refuses the rest.
pub struct Args {
    verb: &'static str,
    words: Vec<String>,
}

impl Args {
    /// Splits `--name=value` into `--name value`.
    pub fn new(verb: &'static str, words: &[String]) -> Self {
        let split = |word: &String| match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => vec![name.into(), value.into()],
            _ => vec![word.clone()],
        };
        Self { verb, words: words.iter().flat_map(split).collect() }
    }

    /// Takes a flag; returns whether it was given.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() != before
    }

    /// Takes an option's value.
    pub fn value(&mut self, name: &str) -> Outcome<Option<String>> {
        let Some(at) = self.words.iter().position(|word| word == name) else { return Ok(None) };
        if at + 1 >= self.words.len() {
            return Err(format!("`{name}` needs a value: see `cargo xtask --help`"));
        }
        self.words.remove(at);
        Ok(Some(self.words.remove(at)))
    }

    /// Takes all the rest, for a program that this verb starts.
    pub fn rest(&mut self) -> Vec<String> {
        std::mem::take(&mut self.words)
    }

    pub fn finish(self) -> Outcome {
        let (verb, left) = (self.verb, self.words.first());
        left.map_or(Ok(()), |word| {
            Err(format!("`cargo xtask {verb}` does not know `{word}`: see --help"))
        })
    }
}
