//! The error table: one list of codes, the same in every language and on the wire.
//!
//! A code stands here with all that is said about it: its text, its HTTP status, what happened and
//! what to do. So a code that is added is complete, or does not compile.

use crate::values::{HostTime, StoreTime};
use core::fmt;

macro_rules! codes {
    ($( $(#[$doc:meta])* $variant:ident $text:literal $http:literal
        $event:literal $advice:literal; )*) => {
        /// What went wrong, as one word that every host and the wire share.
        ///
        /// What a program does about it, three questions tell: does waiting help
        /// ([`Code::is_permanent`]), must the IDs in hand be thrown away ([`Code::stops`]), and
        /// what is a person to do ([`Code::advice`], or a whole [`Sentence`](crate::Sentence))?
        ///
        /// ```
        /// use leafid_core::Code;
        /// assert_eq!(Code::SegmentDry.as_str(), "SEGMENT_DRY");
        /// assert_eq!(Code::parse("SEGMENT_DRY"), Some(Code::SegmentDry));
        /// assert_eq!(Code::parse("NO_SUCH_CODE"), None, "a newer store may have it");
        ///
        /// assert!(!Code::SegmentDry.is_permanent(), "the grant is on its way");
        /// assert!(Code::TagUnknown.is_permanent(), "somebody has to create it");
        /// assert!(Code::StoreWentBack.stops() && !Code::LeaseLost.stops());
        /// assert_eq!(Code::TagUnknown.http_status(), Some(404));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $( $(#[$doc])* $variant, )* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Code] = &[ $( Code::$variant, )* ];

            /// The code as it stands on the wire and in `.code`.
            pub const fn as_str(self) -> &'static str {
                match self { $( Code::$variant => $text, )* }
            }

            /// The code that is written so, if there is one. Case matters.
            pub fn parse(text: &str) -> Option<Code> {
                match text { $( $text => Some(Code::$variant), )* _ => None }
            }

            /// The HTTP status that carries it; `None` for codes that exist inside a host only.
            pub const fn http_status(self) -> Option<u16> {
                let status: u16 = match self { $( Code::$variant => $http, )* };
                if status == 0 { None } else { Some(status) }
            }

            /// What happened, as the rest of a sentence that begins with what it happened to: "tag
            /// `orders`" *has no numbers left*.
            pub const fn event(self) -> &'static str {
                match self { $( Code::$variant => $event, )* }
            }

            /// What a program, or the person behind it, does about it.
            pub const fn advice(self) -> &'static str {
                match self { $( Code::$variant => $advice, )* }
            }
        }
    };
}

codes! {
    /// The request is not of the form that the API describes.
    RequestInvalid "REQUEST_INVALID" 400
        "got a request that is not valid"
        "fix the request";
    /// A tag does not match `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`.
    TagInvalid "TAG_INVALID" 400
        "is not a valid name"
        "use 1 to 128 letters, digits and `._:-`, starting with a letter or digit";
    /// A namespace does not match `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`.
    NamespaceInvalid "NAMESPACE_INVALID" 400
        "is not a valid name"
        "use 1 to 128 letters, digits and `._:-`, starting with a letter or digit";
    /// A step is 0 or above the cap.
    StepInvalid "STEP_INVALID" 400
        "cannot have this step"
        "ask for a step from 1 to the tag's `max_step`";
    /// A count is 0 or above what can be given in one go.
    CountInvalid "COUNT_INVALID" 400
        "cannot give this many IDs at once"
        "ask for fewer IDs at once";
    /// A layout has no time bits, more than 63 bits together, or no tick.
    LayoutInvalid "LAYOUT_INVALID" 400
        "has a layout that is not valid"
        "use a preset, or widths of at most 63 bits together";
    /// A worker number lies outside the layout or the namespace.
    WorkerInvalid "WORKER_INVALID" 400
        "has no such worker number"
        "name a worker number inside the layout";
    /// A range or a number lies outside what it may be.
    RangeInvalid "RANGE_INVALID" 400
        "got a number outside the allowed range"
        "use numbers within the allowed range";
    /// A text or a number is not an ID of this form.
    IdInvalid "ID_INVALID" 400
        "is not a valid ID"
        "pass an ID exactly as it was issued";
    /// The store wants a token or a password, or does not know this one.
    Unauthorized "UNAUTHORIZED" 401
        "needs a valid token or password"
        "ask the operator for one";
    /// The store knows the caller and does not allow this.
    Forbidden "FORBIDDEN" 403
        "may not be used by this caller"
        "ask the operator for permission";
    /// The tag was never created, or is deleted.
    TagUnknown "TAG_UNKNOWN" 404
        "does not exist"
        "check its spelling, or create it with `leafid tag create TAG`";
    /// The namespace was never created.
    NamespaceUnknown "NAMESPACE_UNKNOWN" 404
        "does not exist"
        "check its spelling, or create it with `leafid namespace create NAMESPACE`";
    /// The store does not offer this.
    NotEnabled "NOT_ENABLED" 404
        "is not supported by this store"
        "use a store that supports it";
    /// The tag is there already.
    TagExists "TAG_EXISTS" 409
        "exists already"
        "use the existing tag, or another name";
    /// The namespace has another layout than the caller.
    LayoutMismatch "LAYOUT_MISMATCH" 409
        "has another layout than the caller"
        "use the namespace's own layout, or another namespace";
    /// The lease of a window belongs to somebody else now.
    LeaseLost "LEASE_LOST" 409
        "is leased to another holder now"
        "use up the window in hand and acquire another worker number";
    /// Another store answers behind the same name.
    StoreChanged "STORE_CHANGED" 409
        "was answered by another store than before"
        "stop, and find out why two stores answer under one name";
    /// The store no longer knows what it granted.
    StoreWentBack "STORE_WENT_BACK" 409
        "was leased from a store that has lost grants"
        "stop, and repair the store before leasing anything from it";
    /// The tag has no numbers left, or fewer than were wanted in one go.
    TagSpent "TAG_SPENT" 422
        "has too few numbers left"
        "raise the tag's `until` if it has one, or create a new tag";
    /// The time lies before the layout's epoch or beyond its last tick.
    TimeOverflow "TIME_OVERFLOW" 422
        "has a layout that does not cover the current time"
        "create a namespace with a layout that lasts longer";
    /// The caller's quota is used up.
    QuotaExceeded "QUOTA_EXCEEDED" 429
        "has used up its quota"
        "wait, or ask the operator for more";
    /// No answer that can be used came from the store.
    StoreUnavailable "STORE_UNAVAILABLE" 503
        "got no usable answer from the store"
        "retry with back-off";
    /// The store has too much to do.
    Overloaded "OVERLOADED" 503
        "was turned away by a store with too much to do"
        "retry with back-off";
    /// Every worker number is held or still rests.
    WorkersExhausted "WORKERS_EXHAUSTED" 503
        "has no free worker number"
        "wait until one is free, or give the namespace more";
    /// No number is at hand; more have been asked for.
    SegmentDry "SEGMENT_DRY" 503
        "has no number at hand"
        "wait for the next segment";
    /// The window in hand is over; another has been asked for.
    WindowSpent "WINDOW_SPENT" 503
        "has no window at hand"
        "wait for the next window";
    /// Every ID up to `max_ahead` is handed out.
    SequenceSpent "SEQUENCE_SPENT" 503
        "has issued every ID that it may issue ahead of the clock"
        "wait for the next tick";
    /// The clock stands behind the IDs that were handed out, as it went back; or behind those that the
    /// last run reserved in its state file.
    ClockBehind "CLOCK_BEHIND" 503
        "has issued IDs ahead of the clock, or reserved them so in the state file of its last run"
        "wait until the clock has caught up";
    /// The caller's time-out passed.
    TimedOut "TIMED_OUT" 504
        "gave no ID in time"
        "try again";
    /// The store refuses to lease until an operator has looked.
    StoreRefused "STORE_REFUSED" 500
        "was refused by a store that waits for an operator"
        "read the store's log";
    /// The store's tables are not as they should be.
    SchemaMismatch "SCHEMA_MISMATCH" 500
        "is in a store with unexpected tables"
        "check the store's tables";
    /// There is no store at this place: no database, no file, or no tables in it.
    StoreUnknown "STORE_UNKNOWN" 500
        "has no store"
        "check the URL, or create it with `leafid init --store URL`";
    /// The store failed in a way that it has no word for.
    Internal "INTERNAL" 500
        "met an error in the store"
        "read the store's log";
    /// The generator or the store was closed.
    Closed "CLOSED" 0
        "is closed"
        "create a new one";
    /// An answer of the store cannot be right, and was not used.
    GrantInvalid "GRANT_INVALID" 0
        "got an answer that cannot be right"
        "check what answers as the store";
    /// Another process holds the state file.
    StateLocked "STATE_LOCKED" 0
        "has a state file that another process holds"
        "give each process a state file of its own";
    /// The state file is of another machine, or damaged.
    StateInvalid "STATE_INVALID" 0
        "has a state file that is damaged or of another machine"
        "remove the state file";
}

impl Code {
    /// The code of an HTTP answer that came without one: something in front of the store gave it.
    ///
    /// ```
    /// use leafid_core::Code;
    /// assert_eq!(Code::from_http(502), Code::StoreUnavailable);
    /// assert_eq!(Code::from_http(302), Code::GrantInvalid);
    /// ```
    pub const fn from_http(status: u16) -> Code {
        match status {
            401 => Code::Unauthorized,
            403 => Code::Forbidden,
            429 => Code::QuotaExceeded,
            500..=599 => Code::StoreUnavailable,
            _ => Code::GrantInvalid,
        }
    }

    /// Whether waiting cannot cure it: hosts raise these at once instead of waiting for a grant.
    ///
    /// True for the HTTP statuses 400–409 and 422 but for [`Code::LeaseLost`], for a store that is
    /// not there or has other tables ([`Code::StoreUnknown`], [`Code::SchemaMismatch`]), and for what
    /// ends a generator ([`Code::Closed`]).
    pub const fn is_permanent(self) -> bool {
        match self {
            Code::LeaseLost => false,
            Code::Closed | Code::StoreUnknown | Code::SchemaMismatch => true,
            other => matches!(other.http_status(), Some(400..=409 | 422)),
        }
    }

    /// Whether a generator that hears it stops at once and drops the IDs in hand: two stores under
    /// one name, or one that lost grants, may have given the same range to somebody else.
    pub const fn stops(self) -> bool {
        matches!(self, Code::StoreChanged | Code::StoreWentBack)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why something was not done, and until when it will not be: on the host's clock where a generator
/// says so, on the store's ([`StoreTime`]) from the [`registry`](crate::registry). Nothing was
/// changed by the call.
///
/// ```
/// use leafid_core::{Code, HostTime, Refusal};
/// let now = HostTime::new(5_000);
/// let refusal = Refusal::until(Code::SequenceSpent, now.plus(3));
/// assert_eq!(refusal.until.map(|until| until.since(now)), Some(3), "ms to wait");
/// assert_eq!(refusal.to_string(), "SEQUENCE_SPENT: wait for the next tick");
/// // A code alone names no time: only an answer of the store, or a person, changes anything.
/// assert_eq!(Refusal::<HostTime>::from(Code::SegmentDry).until, None);
/// ```
///
/// Who waits, and for what, [`Generator::stance`](crate::Generator::stance) decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Refusal<T = HostTime> {
    /// The word for it.
    pub code: Code,
    /// When to come again.
    pub until: Option<T>,
}

impl<T> Refusal<T> {
    /// A refusal that names no time.
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

/// A value that was refused (a name, a layout, a moment) names no time, on whichever clock.
impl From<Refusal> for Refusal<StoreTime> {
    fn from(refusal: Refusal) -> Refusal<StoreTime> {
        refusal.code.into()
    }
}

impl<T> fmt::Display for Refusal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.code.advice())
    }
}

impl<T: fmt::Debug> core::error::Error for Refusal<T> {}
