//! The lines that a host program of `examples/stream` writes to its standard output.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// `hello NAME VERSION`: the host's name, and its version of leafid.
    Hello,
    /// `n START END`: the numbers `[start, end)` were handed out, in this order.
    Numbers {
        start: u64,
        /// One above the last one.
        end: u64,
    },
    /// `s FIRST LAST COUNT`: snowflake IDs of one worker, strictly ascending.
    Snowflakes {
        first: u64,
        last: u64,
        /// The count of IDs, with first and last.
        count: u64,
    },
    /// `stats KIND IDS ASKS GRANTS FAILURES WAITS IN_HAND`: the generator's own counters so far.
    Stats(Kind, Stats),
    /// `error KIND CODE MESSAGE`: a call was refused.
    Error(Kind, Refused),
    /// `bye`: both generators were closed.
    Bye,
}

/// Which of the two generators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Segment,
    Snowflake,
}

/// A generator's own counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub grants: u64,
    pub failures: u64,
    /// How often the line had nothing to hand out.
    pub waits: u64,
    /// Positions at hand.
    pub in_hand: u64,
}

/// The refusal of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub code: String,
    pub message: String,
}

impl Line {
    /// Reads one line.
    pub fn parse(text: &str) -> Result<Line, String> {
        let words: Vec<&str> = text.split(' ').collect();
        let line = match words.as_slice() {
            ["hello", _, _] => Some(Line::Hello),
            ["n", start, end] => numbers(start, end),
            ["s", first, last, count] => snowflakes(first, last, count),
            ["stats", kind, counters @ ..] => stats(kind, counters),
            ["error", kind, code, message @ ..] => Kind::parse(kind).map(|kind| {
                let message = message.join(" ");
                Line::Error(kind, Refused { code: (*code).to_owned(), message })
            }),
            ["bye"] => Some(Line::Bye),
            _ => None,
        };
        line.ok_or_else(|| format!("a host wrote `{text}`, which is no line of the stream"))
    }
}

impl Kind {
    fn parse(word: &str) -> Option<Kind> {
        match word {
            "segment" => Some(Kind::Segment),
            "snowflake" => Some(Kind::Snowflake),
            _ => None,
        }
    }
}

fn numbers(start: &str, end: &str) -> Option<Line> {
    let (start, end) = (start.parse().ok()?, end.parse().ok()?);
    (start < end).then_some(Line::Numbers { start, end })
}

fn snowflakes(first: &str, last: &str, count: &str) -> Option<Line> {
    let (first, last, count) = (first.parse().ok()?, last.parse().ok()?, count.parse().ok()?);
    (first <= last && count > 0 && (count == 1) == (first == last)).then_some(Line::Snowflakes {
        first,
        last,
        count,
    })
}

fn stats(kind: &str, counters: &[&str]) -> Option<Line> {
    let read: Option<Vec<u64>> = counters.iter().map(|word| word.parse().ok()).collect();
    let &[_, _, grants, failures, waits, in_hand] = read?.as_slice() else { return None };
    let stats = Stats { grants, failures, waits, in_hand };
    Some(Line::Stats(Kind::parse(kind)?, stats))
}
