//! The checks, and the violations that they find.

use std::fmt;

macro_rules! checks {
    ($($(#[$doc:meta])* $name:ident $words:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Check {
            $($(#[$doc])* $name,)*
        }

        impl Check {
            /// The finding in a few words.
            pub fn words(self) -> &'static str {
                match self {
                    $(Check::$name => $words,)*
                }
            }
        }
    };
}

checks! {
    Duplicate "an ID twice",
    Outside "an ID outside its holder's grants",
    Descends "IDs that do not ascend",
    /// PROTOCOL R7.
    Overlap "overlapping grants",
    AfterRelease "an ID after the release",
    Untimely "an untimely ID",
    /// A holder that can reach its store gets IDs again.
    Dead "a dead holder",
    /// A slow disk keeps a granted window back no longer than its writes explain.
    KeptBack "a window that its file keeps back",
    /// Time does not go back within a generator.
    WentBack "a clock that went back",
    /// `ready` promises no more than `fill` gives.
    Promise "fewer IDs than promised",
    Counters "counters that lie",
    /// An answer that cannot be right is refused (PROTOCOL R36).
    Nonsense "nonsense applied",
    /// Nothing stays held without use: a number for an owner that has another, a window granted
    /// after closing.
    Leak "a leaked worker number",
    /// A sticky owner gets its own number, and no other owner's.
    Kept "a kept number that the wrong one got",
    /// At most one number is kept for an owner, as far as the deciding server can know.
    TwoKept "two numbers kept for one owner",
    OutsideWorkers "a number outside the range",
    BeyondEnd "a number beyond the end of its tag",
    /// No holder asks without need, or too soon.
    Greedy "asks without need",
    /// A window is renewed long before it is over.
    Unrenewed "a renewal that comes too late",
    /// A holder that has more than the store remembers is told so.
    Untold "a store that went back and does not say so",
    /// No holder is told that a store changed or went back if it did not.
    FalseAlarm "a false alarm",
    Panic "a panic",
    RowRule "a wrong row",
    /// A lease can be used under its own key alone.
    ForeignKey "a lease used under another's key",
    /// An ask contains the end of its holder's numbers.
    HaveUntil "an ask that hides what its holder has",
    /// A state file that could not be written gets no right any more.
    AbandonedFile "an abandoned state file that is written again",
}

#[derive(Clone, Debug)]
pub struct Violation {
    pub check: Check,
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check.words(), self.detail)
    }
}

/// A result, or a violation.
pub type Verdict<T = ()> = Result<T, Violation>;

/// Returns a violation with its figures.
macro_rules! fail {
    ($check:ident, $($detail:tt)*) => {{
        let (check, detail) = ($crate::verdict::Check::$check, format!($($detail)*));
        return Err($crate::verdict::Violation { check, detail });
    }};
}
pub(crate) use fail;
