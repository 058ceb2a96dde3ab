//! The HTTP status and the message of each code. A code of the core without a row here does not
//! compile.

use leafid_core::Code;

macro_rules! told {
    ($( $code:ident $status:literal $event:literal $advice:literal; )*) => {
        /// The HTTP status of a code; `None` for those that exist inside a host only.
        pub const fn http_status(code: Code) -> Option<u16> {
            let status: u16 = match code { $( Code::$code => $status, )* };
            if status == 0 { None } else { Some(status) }
        }

        /// The event, as the rest of a sentence that begins with the subject: "tag `orders`" *has no
        /// numbers left*.
        pub const fn event(code: Code) -> &'static str {
            match code { $( Code::$code => $event, )* }
        }

        /// The advice to a program, or its operator.
        pub const fn advice(code: Code) -> &'static str {
            match code { $( Code::$code => $advice, )* }
        }
    };
}

told! {
    RequestInvalid 400
        "got a request that is not valid"
        "fix the request";
    TagInvalid 400
        "is not a valid name"
        "use 1 to 128 letters, digits and `._:-`, starting with a letter or digit";
    NamespaceInvalid 400
        "is not a valid name"
        "use 1 to 128 letters, digits and `._:-`, starting with a letter or digit";
    StepInvalid 400
        "cannot have this step"
        "ask for a step from 1 to the largest that the tag allows";
    CountInvalid 400
        "cannot give this many IDs at once"
        "ask for fewer IDs at once";
    LayoutInvalid 400
        "has a layout that is not valid"
        "use a preset, or widths of at most 63 bits together";
    WorkerInvalid 400
        "has no such worker number"
        "name a worker number inside the layout";
    RangeInvalid 400
        "got a number outside the allowed range"
        "use numbers within the allowed range";
    IdInvalid 400
        "is not a valid ID"
        "pass an ID exactly as it was issued";
    Unauthorized 401
        "needs a valid token or password"
        "ask the operator for one";
    Forbidden 403
        "may not be used by this caller"
        "ask the operator for permission";
    TagUnknown 404
        "does not exist"
        "check its spelling, or create it with `leafid tag create TAG`";
    NamespaceUnknown 404
        "does not exist"
        "check its spelling, or create it with `leafid namespace create NAMESPACE`";
    NotEnabled 404
        "is not supported by this store"
        "use a store that supports it";
    TagExists 409
        "exists already"
        "use the existing tag, or another name";
    LayoutMismatch 409
        "has another layout than the caller"
        "use the namespace's own layout, or another namespace";
    LeaseLost 409
        "is leased to another holder now"
        "use up the window in hand and acquire another worker number";
    StoreChanged 409
        "was answered by another store than before"
        "stop, and find out why two stores answer under one name";
    StoreWentBack 409
        "was leased from a store that has lost grants"
        "stop, and repair the store before leasing anything from it";
    TagSpent 422
        "has too few numbers left"
        "raise the tag's `until` if it has one, or create a new tag";
    TimeOverflow 422
        "has a layout that does not cover the current time"
        "create a namespace with a layout that lasts longer";
    QuotaExceeded 429
        "has used up its quota"
        "wait, or ask the operator for more";
    StoreUnavailable 503
        "got no usable answer from the store"
        "retry with back-off";
    Overloaded 503
        "was turned away by a store with too much to do"
        "retry with back-off";
    WorkersExhausted 503
        "has no free worker number"
        "wait until one is free, or give the namespace more";
    SegmentDry 503
        "has no number at hand"
        "wait for the next segment";
    WindowSpent 503
        "has no window at hand"
        "wait for the next window";
    SequenceSpent 503
        "has issued every ID that it may issue ahead of the clock"
        "wait for the next tick";
    ClockBehind 503
        "has issued IDs ahead of the clock, or reserved them so in the state file of its last run"
        "wait until the clock has caught up";
    TimedOut 504
        "gave no ID in time"
        "try again";
    StoreRefused 500
        "was refused by a store that waits for an operator"
        "read the store's log";
    SchemaMismatch 500
        "is in a store with unexpected tables"
        "check the store's tables";
    StoreUnknown 500
        "has no store"
        "check the URL, or create it with `leafid init --store URL`";
    Internal 500
        "met an error in the store"
        "read the store's log";
    Closed 0
        "is closed"
        "create a new one";
    GrantInvalid 0
        "got an answer that cannot be right"
        "check what answers as the store";
    StateLocked 0
        "has a state file that another process holds"
        "give each process a state file of its own";
    StateInvalid 0
        "has a state file that is damaged or of another machine"
        "remove the state file";
}

/// The code for an HTTP answer without one, which came from something in front of the store.
///
/// ```
/// use leafid_core::Code;
/// use leafid_wire::from_http;
/// assert_eq!(from_http(502), Code::StoreUnavailable);
/// assert_eq!(from_http(302), Code::GrantInvalid);
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
