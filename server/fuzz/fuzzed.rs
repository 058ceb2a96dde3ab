//! Everything that comes from outside, changed at random: requests as bytes, bodies, and every file and
//! URL that an operator writes. Whatever comes is taken or refused, without a panic, and what is taken
//! reads back as it was.
//!
//! Each input begins as one of a corpus (`server/fuzz/TARGET`), is replayed as it is, and is then changed:
//! bytes flipped, words of the target's own put in, parts cut out, repeated, and taken from another input.
//! The inputs are the same in each run, unless `LEAFID_FUZZ_SEED` names others; with `LEAFID_FUZZ_SECONDS`
//! a target runs for as long as it says, from seed to seed. What fails is made as small as it can be, and belongs
//! into the corpus.

mod bodies;
mod files;
mod http;
mod urls;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// The outcome of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Taken,
    Refused,
}

impl<T, E> From<&Result<T, E>> for Fate {
    fn from(result: &Result<T, E>) -> Fate {
        if result.is_ok() { Fate::Taken } else { Fate::Refused }
    }
}

/// A parser under test: its name and that of its corpus, the number of inputs, and words to insert, separated
/// by ` | `.
pub struct Target {
    pub name: &'static str,
    pub inputs: u32,
    pub words: &'static str,
}

/// Characters with a meaning in most formats, inserted into every input.
const SIGNS: &str = " \t\r\n\u{0}\u{1}\u{7f}é\u{2028}\u{feff}\"'\\[]{}:;,.=#!@/?&%~-01";

/// A change of an input.
#[derive(Clone, Debug)]
enum Change {
    Flip(Index, u8),
    Put(Index, &'static str),
    Cut(Index, Index),
    Repeat(Index, Index, usize),
    Take(Index, Index, Index, Index),
}

impl Target {
    /// Replays the corpus, and goes on from there; `Err` of the check says what is wrong.
    pub fn fuzz(&self, check: impl Fn(&[u8]) -> Result<Fate, String>) {
        let (taken, refused) = self.counted(check);
        // A check that takes or refuses everything looks at nothing.
        assert!(Self::looks(taken, refused), "{}: {taken} taken, {refused} refused", self.name);
    }

    /// Whether a check that took and refused as many looks at something.
    pub fn looks(taken: u64, refused: u64) -> bool {
        taken >= 20 && refused >= 20
    }

    /// As [`Target::fuzz`]; how many inputs were taken, and refused.
    pub fn counted(&self, check: impl Fn(&[u8]) -> Result<Fate, String>) -> (u64, u64) {
        let corpus = self.corpus();
        let (taken, refused) = (Cell::new(0_u64), Cell::new(0_u64));
        let look = |input: &[u8]| {
            let fate = check(input)?;
            let count = if fate == Fate::Taken { &taken } else { &refused };
            count.set(count.get() + 1);
            Ok::<_, String>(())
        };
        for (file, input) in &corpus {
            look(input).unwrap_or_else(|why| panic!("{}: {}: {why}", self.name, file.display()));
        }
        let first = number("LEAFID_FUZZ_SEED").unwrap_or(1);
        let until = number("LEAFID_FUZZ_SECONDS").map(|s| Instant::now() + Duration::from_secs(s));
        let mut seed = first;
        loop {
            println!("fuzz: {}: seed {seed}, {} inputs", self.name, self.inputs);
            self.draw(seed, &corpus, look);
            if until.is_none_or(|until| Instant::now() >= until) {
                break;
            }
            seed = seed.wrapping_add(1);
        }
        let (taken, refused) = (taken.get(), refused.get());
        println!("fuzz: {}: seeds {first} to {seed}, {taken} taken, {refused} refused", self.name);
        (taken, refused)
    }

    /// As many inputs as the target wants, from one seed.
    fn draw(
        &self,
        seed: u64,
        corpus: &[(PathBuf, Vec<u8>)],
        look: impl Fn(&[u8]) -> Result<(), String>,
    ) {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &key);
        let config = Config { cases: self.inputs, failure_persistence: None, ..Config::default() };
        let changes = (any::<Index>(), prop::collection::vec(self.change(), 0..10));
        let ran = TestRunner::new_with_rng(config, rng).run(&changes, |(of, changes)| {
            let input = changed(of, &changes, corpus);
            look(&input).map_err(|why| {
                TestCaseError::fail(format!("{why}\ninput: \"{}\"", input.escape_ascii()))
            })
        });
        ran.unwrap_or_else(|failed| panic!("{}, seed {seed}: {failed}", self.name));
    }

    fn change(&self) -> BoxedStrategy<Change> {
        let at = any::<Index>;
        let signs =
            SIGNS.char_indices().filter_map(|(at, sign)| SIGNS.get(at..at + sign.len_utf8()));
        let words: Vec<&str> = self.words.split(" | ").chain(signs).collect();
        prop_oneof![
            (at(), any::<u8>()).prop_map(|(at, byte)| Change::Flip(at, byte)),
            (at(), select(words)).prop_map(|(at, word)| Change::Put(at, word)),
            (at(), at()).prop_map(|(from, to)| Change::Cut(from, to)),
            (at(), at(), 1..40_usize).prop_map(|(from, to, n)| Change::Repeat(from, to, n)),
            (at(), at(), at(), at()).prop_map(|(at, of, from, to)| Change::Take(at, of, from, to)),
        ]
        .boxed()
    }

    fn corpus(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(self.name);
        let files = std::fs::read_dir(&folder).unwrap_or_else(|_| panic!("{}", folder.display()));
        let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
        files.sort();
        assert!(!files.is_empty(), "{} is empty", folder.display());
        let read = |file: PathBuf| (std::fs::read(&file).expect("a file"), file);
        files.into_iter().map(read).map(|(input, file)| (file, input)).collect()
    }
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().filter(|text| !text.is_empty())?.parse().ok()
}

/// A part of an input; its bounds in either order.
fn part(length: usize, from: &Index, to: &Index) -> std::ops::Range<usize> {
    let (from, to) = (from.index(length + 1), to.index(length + 1));
    from.min(to)..from.max(to)
}

fn changed(of: Index, changes: &[Change], corpus: &[(PathBuf, Vec<u8>)]) -> Vec<u8> {
    /// Inputs that grow beyond this are cut: repeating repeats multiplies.
    const LONGEST: usize = 1 << 17;
    let mut input = of.get(corpus).1.clone();
    for change in changes {
        let length = input.len();
        match change {
            Change::Flip(at, byte) if length > 0 => input[at.index(length)] = *byte,
            Change::Flip(..) => {}
            Change::Put(at, word) => {
                let at = at.index(length + 1);
                input.splice(at..at, word.bytes());
            }
            Change::Cut(from, to) => drop(input.drain(part(length, from, to))),
            Change::Repeat(from, to, times) => {
                let part = part(length, from, to);
                let again = input[part.clone()].repeat(*times);
                input.splice(part.end..part.end, again);
            }
            Change::Take(at, of, from, to) => {
                let other = &of.get(corpus).1;
                let (at, part) = (at.index(length + 1), part(other.len(), from, to));
                input.splice(at..at, other[part].iter().copied());
            }
        }
        input.truncate(LONGEST);
    }
    input
}

/// The control: what is wrong is found, from a good input, and made small.
#[test]
fn what_is_wrong_is_found_and_made_small() {
    let found = std::panic::catch_unwind(|| {
        let target = Target { name: "bodies", inputs: 2_000, words: "\u{fffd}bug" };
        target.fuzz(|input| match input.windows(3).any(|part| part == b"bug") {
            true => Err("a bug".to_owned()),
            false if input.len() % 2 == 0 => Ok(Fate::Taken),
            false => Ok(Fate::Refused),
        });
    });
    let why = found.expect_err("it was not found");
    let why = why.downcast_ref::<String>().expect("words");
    assert!(why.contains("a bug") && why.contains("bodies, seed "), "{why}");
    assert_eq!(why.matches("Put(").count(), 1, "as small as it can be: {why}");
}
