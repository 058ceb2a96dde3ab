//! The error table: one list of codes, the same in every language and on the wire.

use crate::values::{HostTime, StoreTime};
use core::fmt;

macro_rules! codes {
    ($( $(#[$doc:meta])* $variant:ident $text:literal $lasts:ident; )*) => {
        /// The code of a failure, shared by all hosts and the wire.
        ///
        /// A program asks two questions: does waiting help ([`Code::is_permanent`]), and must the IDs in hand
        /// be dropped ([`Code::stops`])? The messages for people and the HTTP statuses are in `leafid-wire`.
        ///
        /// ```
        /// use leafid_core::Code;
        /// assert_eq!(Code::SegmentDry.as_str(), "SEGMENT_DRY");
        /// assert_eq!(Code::parse("SEGMENT_DRY"), Some(Code::SegmentDry));
        /// assert_eq!(Code::parse("NO_SUCH_CODE"), None, "a newer store may have it");
        ///
        /// assert!(!Code::SegmentDry.is_permanent(), "the grant is on its way");
        /// assert!(Code::TagUnknown.is_permanent(), "it has to be created first");
        /// assert!(Code::StoreWentBack.stops() && !Code::LeaseLost.stops());
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $( $(#[$doc])* $variant, )* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Code] = &[ $( Code::$variant, )* ];

            /// The code's text on the wire and in `.code`.
            pub const fn as_str(self) -> &'static str {
                match self { $( Code::$variant => $text, )* }
            }

            /// The code with this text, if there is one. Case matters.
            pub fn parse(text: &str) -> Option<Code> {
                match text { $( $text => Some(Code::$variant), )* _ => None }
            }

            /// Whether waiting does not help: hosts raise these at once instead of waiting for a grant.
            pub const fn is_permanent(self) -> bool {
                match self { $( Code::$variant => codes!(@$lasts), )* }
            }
        }
    };
    (@permanent) => { true };
    (@passing) => { false };
}

// Where else a code has to stand: CONTRIBUTING.md, "The house".
codes! {
    /// The request does not have the form that the API describes.
    RequestInvalid "REQUEST_INVALID" permanent;
    /// A tag does not match `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`.
    TagInvalid "TAG_INVALID" permanent;
    /// A namespace does not match `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`.
    NamespaceInvalid "NAMESPACE_INVALID" permanent;
    /// A step is 0 or above the cap.
    StepInvalid "STEP_INVALID" permanent;
    /// A count is 0 or above what can be given in one go.
    CountInvalid "COUNT_INVALID" permanent;
    /// A layout has no time bits, more than 63 bits together, or no tick.
    LayoutInvalid "LAYOUT_INVALID" permanent;
    /// A worker number lies outside the layout or the namespace.
    WorkerInvalid "WORKER_INVALID" permanent;
    /// A range or a number lies outside what is allowed.
    RangeInvalid "RANGE_INVALID" permanent;
    /// A text or a number is not an ID of this form.
    IdInvalid "ID_INVALID" permanent;
    /// The store requires a token or a password, or does not know this one.
    Unauthorized "UNAUTHORIZED" permanent;
    /// The store knows the caller and does not allow this.
    Forbidden "FORBIDDEN" permanent;
    /// The tag was never created, or is deleted.
    TagUnknown "TAG_UNKNOWN" permanent;
    /// The namespace was never created.
    NamespaceUnknown "NAMESPACE_UNKNOWN" permanent;
    /// The store does not offer this.
    NotEnabled "NOT_ENABLED" permanent;
    /// The tag is there already.
    TagExists "TAG_EXISTS" permanent;
    /// The namespace has another layout than the caller.
    LayoutMismatch "LAYOUT_MISMATCH" permanent;
    /// The lease of a window belongs to another holder now.
    LeaseLost "LEASE_LOST" passing;
    /// Another store answers behind the same name.
    StoreChanged "STORE_CHANGED" permanent;
    /// The store no longer knows what it granted.
    StoreWentBack "STORE_WENT_BACK" permanent;
    /// The tag has no numbers left, or fewer than were wanted in one go.
    TagSpent "TAG_SPENT" permanent;
    /// The time lies before the layout's epoch or beyond its last tick.
    TimeOverflow "TIME_OVERFLOW" permanent;
    /// The caller's quota is used up.
    QuotaExceeded "QUOTA_EXCEEDED" passing;
    /// No usable answer came from the store.
    StoreUnavailable "STORE_UNAVAILABLE" passing;
    /// The store is overloaded.
    Overloaded "OVERLOADED" passing;
    /// Every worker number is held, or not yet free again.
    WorkersExhausted "WORKERS_EXHAUSTED" passing;
    /// No number is at hand; more have been asked for.
    SegmentDry "SEGMENT_DRY" passing;
    /// The window in hand is over; another has been asked for.
    WindowSpent "WINDOW_SPENT" passing;
    /// Every ID up to `max_ahead` is handed out.
    SequenceSpent "SEQUENCE_SPENT" passing;
    /// The clock went back behind the IDs that were handed out, or is behind those that the last run
    /// reserved in its state file.
    ClockBehind "CLOCK_BEHIND" passing;
    /// The caller's time-out passed.
    TimedOut "TIMED_OUT" passing;
    /// The store refuses to lease until an operator has looked.
    StoreRefused "STORE_REFUSED" passing;
    /// The store's tables are not as they should be.
    SchemaMismatch "SCHEMA_MISMATCH" permanent;
    /// There is no store at this place: no database, no file, or no tables in it.
    StoreUnknown "STORE_UNKNOWN" permanent;
    /// The store failed in a way that has no code.
    Internal "INTERNAL" passing;
    /// The generator or the store was closed.
    Closed "CLOSED" permanent;
    /// An answer of the store cannot be right, and was not used.
    GrantInvalid "GRANT_INVALID" passing;
    /// Another process holds the state file.
    StateLocked "STATE_LOCKED" passing;
    /// The state file is of another machine, or damaged.
    StateInvalid "STATE_INVALID" passing;
}

impl Code {
    /// Whether a generator that gets it stops at once and drops the IDs in hand: two stores under one
    /// name, or one that lost grants, may have granted the same range to another holder.
    pub const fn stops(self) -> bool {
        matches!(self, Code::StoreChanged | Code::StoreWentBack)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a call did nothing, and until when it will not succeed: on the host's clock from a generator,
/// on the store's ([`StoreTime`]) from the [`registry`](crate::registry). The call changed nothing.
///
/// ```
/// use leafid_core::{Code, HostTime, Refusal};
/// let now = HostTime::new(5_000);
/// let refusal = Refusal::until(Code::SequenceSpent, now.plus(3));
/// assert_eq!(refusal.until.map(|until| until.since(now)), Some(3), "ms to wait");
/// assert_eq!(refusal.to_string(), "SEQUENCE_SPENT");
/// // A code alone has no time: only an answer of the store, or a person, changes anything.
/// assert_eq!(Refusal::<HostTime>::from(Code::SegmentDry).until, None);
/// ```
///
/// [`Generator::stance`](crate::Generator::stance) decides whether to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Refusal<T = HostTime> {
    /// The code.
    pub code: Code,
    /// When to try again.
    pub until: Option<T>,
}

impl<T> Refusal<T> {
    /// A refusal without a time.
    pub const fn new(code: Code) -> Refusal<T> {
        Refusal { code, until: None }
    }

    /// A refusal that ends at `until`.
    pub const fn until(code: Code, until: T) -> Refusal<T> {
        Refusal { code, until: Some(until) }
    }
}

impl<T> From<Code> for Refusal<T> {
    fn from(code: Code) -> Refusal<T> {
        Refusal::new(code)
    }
}

/// The refusal of a value (a name, a layout, a time) has no time on either clock.
impl From<Refusal> for Refusal<StoreTime> {
    fn from(refusal: Refusal) -> Refusal<StoreTime> {
        refusal.code.into()
    }
}

impl<T> fmt::Display for Refusal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code.fmt(f)
    }
}

impl<T: fmt::Debug> core::error::Error for Refusal<T> {}
