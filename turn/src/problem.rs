//! A refusal or a failure as a client is told: a code, a detail for a person, and figures.

use alloc::string::String;
use alloc::vec::Vec;
use leafid_core::{Code, Refusal, StoreTime};
use leafid_wire::{advice, http_status};

/// The longest pause that an answer demands. Holders that close set numbers free early, so a caller that
/// waits for one asks again now and then.
const LONGEST_PAUSE_MS: i64 = 10_000;

/// A figure of a [`Problem`]: a field of its JSON form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// A number that JavaScript holds exactly.
    Number(u64),
    /// A number of 64 bits: a decimal string on the wire.
    Big(u64),
    /// A text.
    Text(String),
}

/// A refusal or a failure, as a client is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The code.
    pub code: Code,
    /// The event with its figures, and the advice.
    pub detail: String,
    /// The HTTP status, where HTTP has a finer word than the code's own (404, 405, 408, 413, 415).
    pub status: Option<u16>,
    /// How long to wait before asking again, in ms.
    pub retry_after_ms: Option<u32>,
    /// When the first worker number is free (store's clock).
    pub free_at: Option<StoreTime>,
    /// The figures, by field name.
    pub figures: Vec<(&'static str, Figure)>,
}

impl Problem {
    /// A problem with this code and detail.
    pub fn new(code: Code, detail: impl Into<String>) -> Problem {
        Problem {
            code,
            detail: detail.into(),
            status: None,
            retry_after_ms: default_pause(code),
            free_at: None,
            figures: Vec::new(),
        }
    }

    /// The same with another HTTP status.
    #[must_use]
    pub fn status(self, status: u16) -> Problem {
        Problem { status: Some(status), ..self }
    }

    /// The same with one more figure.
    #[must_use]
    pub fn with(mut self, field: &'static str, figure: Figure) -> Problem {
        self.figures.push((field, figure));
        self
    }

    /// A figure of 64 bits.
    pub fn figure(&self, named: &str) -> Option<u64> {
        self.figures.iter().find_map(|(field, figure)| match figure {
            Figure::Big(value) if *field == named => Some(*value),
            _ => None,
        })
    }

    /// The same with the time when the first number is free.
    #[must_use]
    pub fn free_at(self, until: Option<StoreTime>, now: StoreTime) -> Problem {
        let Some(until) = until else { return self };
        let pause = until.since(now).clamp(1, LONGEST_PAUSE_MS);
        let retry_after_ms = u32::try_from(pause).ok();
        Problem { free_at: Some(until), retry_after_ms, ..self }
    }

    /// The store cannot be used now.
    pub fn unavailable(detail: impl Into<String>) -> Problem {
        Problem::new(Code::StoreUnavailable, detail)
    }

    /// The HTTP status that carries it.
    pub fn http_status(&self) -> u16 {
        self.status.or(http_status(self.code)).unwrap_or(500)
    }

    /// Its JSON form.
    #[cfg(feature = "json")]
    pub fn json(&self) -> String {
        use leafid_wire::FieldWriter as _;

        let mut writer = leafid_wire::Writer::default();
        writer.text("type", "about:blank");
        writer.text("title", advice(self.code));
        writer.number("status", self.http_status().into());
        writer.text("code", self.code.as_str());
        writer.text("detail", &self.detail);
        self.retry_after_ms.inspect(|ms| writer.number("retry_after_ms", u64::from(*ms)));
        self.free_at.inspect(|at| writer.millis("free_at_ms", at.get()));
        for (field, figure) in &self.figures {
            match figure {
                Figure::Number(number) => writer.number(field, *number),
                Figure::Big(big) => writer.big(field, *big),
                Figure::Text(text) => writer.text(field, text),
            }
        }
        writer.end()
    }
}

#[cfg(feature = "json")]
impl From<leafid_wire::Problem> for Problem {
    fn from(said: leafid_wire::Problem) -> Problem {
        let (retry_after_ms, free_at) = (said.retry_after_ms, said.free_at_ms.map(StoreTime::new));
        Problem { retry_after_ms, free_at, ..Problem::new(said.code, said.detail) }
    }
}

/// A refusal of the core, with its code's advice as the detail.
impl<T> From<Refusal<T>> for Problem {
    fn from(refusal: Refusal<T>) -> Problem {
        Problem::new(refusal.code, advice(refusal.code))
    }
}

impl core::fmt::Display for Problem {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

impl core::error::Error for Problem {}

/// Every 429 and 503 says how long to wait.
fn default_pause(code: Code) -> Option<u32> {
    match code {
        Code::SequenceSpent | Code::ClockBehind => Some(10),
        Code::Overloaded | Code::SegmentDry | Code::WindowSpent => Some(100),
        _ if matches!(http_status(code), Some(429 | 503)) => Some(1_000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_may_be_asked_again_says_when() {
        for code in Code::ALL {
            let says = Problem::new(*code, "x").retry_after_ms.is_some();
            assert_eq!(says, matches!(http_status(*code), Some(429 | 503)), "{code}");
        }
    }

    #[test]
    fn a_number_that_is_free_in_an_hour_is_asked_for_before_that() {
        let now = StoreTime::new(1_000);
        let problem = Problem::new(Code::WorkersExhausted, "x").free_at(Some(now.plus(40)), now);
        assert_eq!((problem.retry_after_ms, problem.free_at), (Some(40), Some(now.plus(40))));
        let late = now.plus(3_600_000);
        let problem = Problem::new(Code::WorkersExhausted, "x").free_at(Some(late), now);
        assert_eq!((problem.retry_after_ms, problem.free_at), (Some(10_000), Some(late)));
    }
}
