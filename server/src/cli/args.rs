//! Arguments, taken one by one; every verb says which flags it has.

use std::ffi::OsString;
use std::str::FromStr;

use leafid_core::{Layout, Range};

use super::Failure;

/// The arguments that are left.
pub struct Args {
    parser: lexopt::Parser,
}

/// An argument: a flag, whose value comes next, or a word.
pub enum Arg {
    /// `--name`
    Flag(String),
    /// Anything else.
    Word(String),
}

impl Args {
    /// These arguments, without the program's name.
    pub fn new(args: impl Iterator<Item = OsString>) -> Args {
        Args { parser: lexopt::Parser::from_args(args) }
    }

    /// The next argument.
    pub fn next(&mut self) -> Result<Option<Arg>, Failure> {
        Ok(match self.parser.next()? {
            None => None,
            Some(lexopt::Arg::Long(name)) => Some(Arg::Flag(name.to_owned())),
            Some(lexopt::Arg::Short(name)) => Some(Arg::Word(format!("-{name}"))),
            Some(lexopt::Arg::Value(word)) => Some(Arg::Word(text(word)?)),
        })
    }

    /// The next argument, which has to be a word (`--help` and `--version` count as words).
    pub fn word(&mut self, what: &str) -> Result<String, Failure> {
        match self.next()? {
            Some(Arg::Word(word)) => Ok(word),
            Some(Arg::Flag(flag)) => Ok(format!("--{flag}")),
            None => Err(Failure::Usage(format!("{what} is missing"))),
        }
    }

    /// The value of the flag that came last, as text.
    pub fn value(&mut self) -> Result<String, Failure> {
        text(self.parser.value()?)
    }

    /// The value of the flag that came last, read as what it shall be.
    pub fn read<T: FromStr>(&mut self, flag: &str, what: &str) -> Result<T, Failure> {
        self.read_by(flag, what, |text| text.parse().ok())
    }

    /// The value of the flag that came last, read by a function.
    pub fn read_by<T>(
        &mut self,
        flag: &str,
        what: &str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, Failure> {
        let text = self.value()?;
        read(&text).ok_or_else(|| Failure::Usage(format!("`--{flag} {text}` is not {what}")))
    }
}

/// An argument that the verb does not have.
pub fn unexpected(arg: &Arg) -> Failure {
    Failure::Usage(match arg {
        Arg::Flag(flag) => format!("`--{flag}` means nothing here"),
        Arg::Word(word) => format!("`{word}` is one word too many"),
    })
}

/// `10s`, `500ms`, `10m`, `1h`, in ms.
pub fn duration_ms(text: &str) -> Option<u32> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let scale: u32 = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    number.parse::<u32>().ok()?.checked_mul(scale)
}

/// `0..64`: from 0 up to, but without, 64.
pub fn range(text: &str) -> Option<Range> {
    let (start, end) = text.split_once("..")?;
    Some(Range::new(start.parse().ok()?, end.parse().ok()?))
}

/// `41/10/12`: the widths of time, worker and sequence.
pub fn bits(text: &str) -> Option<(u8, u8, u8)> {
    let mut widths = text.split('/').map(str::parse);
    let bits = (widths.next()?.ok()?, widths.next()?.ok()?, widths.next()?.ok()?);
    if widths.next().is_none() { Some(bits) } else { None }
}

/// A preset's layout.
pub fn preset(text: &str) -> Option<Layout> {
    Layout::named(text)
}

fn text(word: OsString) -> Result<String, Failure> {
    word.into_string()
        .map_err(|word| Failure::Usage(format!("`{}` is no text", word.to_string_lossy())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_strict() {
        assert_eq!(duration_ms("10s"), Some(10_000));
        assert_eq!(duration_ms("250ms"), Some(250));
        for wrong in ["10", "s", "", "-1s", "10 s", "99999999h"] {
            assert_eq!(duration_ms(wrong), None, "{wrong}");
        }
        assert_eq!(range("0..64"), Some(Range::new(0, 64)));
        assert_eq!((range("0-64"), range("..4")), (None, None));
        assert_eq!(bits("41/10/12"), Some((41, 10, 12)));
        assert_eq!((bits("41/10"), bits("41/10/12/0"), bits("300/1/1")), (None, None, None));
    }
}
