//! What may be found wrong.

use std::fmt;

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// No ID is handed out twice.
    Duplicate,
    /// Every ID lies in a range that was granted to its holder.
    Outside,
    /// The IDs of one generator ascend.
    Descends,
    /// No two holders are granted the same.
    Overlap,
    /// What was given back is not used.
    AfterRelease,
    /// The time of an ID is right.
    Untimely,
    /// A holder that can reach its store gets IDs again.
    Dead,
    /// A slow disk keeps a granted window back no longer than its writes explain.
    KeptBack,
    /// Time does not go back within a generator.
    WentBack,
    /// `ready` promises no more than `fill` gives.
    Promise,
    /// The counters tell what happened.
    Counters,
    /// An answer that cannot be right is refused.
    Nonsense,
    /// Nothing is held for nobody: a number for an owner that has another, a window that comes
    /// after closing.
    Leak,
    /// A sticky owner gets its own number, and nobody else's.
    Kept,
    /// One number at most is kept for an owner, once whoever decides can know.
    TwoKept,
    /// Only numbers of the namespace's range are granted.
    OutsideWorkers,
    /// No number is granted at or above the upper end of its tag.
    BeyondEnd,
    /// Nobody asks without need, or too soon.
    Greedy,
    /// A window is renewed long before it is over.
    Unrenewed,
    /// Who holds more than a store remembers is told so.
    Untold,
    /// Nobody hears that a store changed or went back that did not.
    FalseAlarm,
    /// Nothing panics.
    Panic,
    /// Rule: a high-water mark falls by a release alone, and stays within a window of the time.
    RowRule,
    /// Rule: a refusal changes nothing.
    RefusalChanges,
    /// Rule: nothing is asked or released in another's name.
    ForeignName,
    /// Rule: a request id ends with its answer.
    RequestReused,
    /// Rule: an ask says how far its holder's numbers reach.
    HaveUntil,
    /// Rule: a state file that could not be written gets no right any more.
    AbandonedFile,
}

impl Check {
    #[cfg(leafid_bugs)]
    /// Whether it is a rule of the protocol rather than something that a user would suffer from.
    pub fn is_rule(self) -> bool {
        self >= Check::RowRule
    }

    /// What was found, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Check::Duplicate => "an ID twice",
            Check::Outside => "an ID outside its holder's grants",
            Check::Descends => "IDs that do not ascend",
            Check::Overlap => "overlapping grants",
            Check::AfterRelease => "an ID after the release",
            Check::Untimely => "an untimely ID",
            Check::Dead => "a dead holder",
            Check::KeptBack => "a window that its file keeps back",
            Check::WentBack => "a clock that went back",
            Check::Promise => "fewer IDs than promised",
            Check::Counters => "counters that lie",
            Check::Nonsense => "nonsense applied",
            Check::Leak => "a leaked worker number",
            Check::Kept => "a kept number that the wrong one got",
            Check::TwoKept => "two numbers kept for one owner",
            Check::OutsideWorkers => "a number outside the range",
            Check::BeyondEnd => "a number beyond the end of its tag",
            Check::Greedy => "asks without need",
            Check::Unrenewed => "a renewal that comes too late",
            Check::Untold => "a store that went back and does not say so",
            Check::FalseAlarm => "a false alarm",
            Check::Panic => "a panic",
            Check::RowRule => "a wrong row",
            Check::RefusalChanges => "a refusal that changes something",
            Check::ForeignName => "an ask in another's name",
            Check::RequestReused => "a dead request sent again",
            Check::HaveUntil => "an ask that hides what its holder has",
            Check::AbandonedFile => "an abandoned state file that is written again",
        }
    }
}

/// Something is wrong.
#[derive(Clone, Debug)]
pub struct Violation {
    /// Which check saw it.
    pub check: Check,
    /// The figures.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.check.words(), self.detail)
    }
}

/// Nothing, or what is wrong.
pub type Verdict<T = ()> = Result<T, Violation>;

/// What is wrong, with the figures.
pub fn wrong<T>(check: Check, detail: String) -> Verdict<T> {
    Err(Violation { check, detail })
}
