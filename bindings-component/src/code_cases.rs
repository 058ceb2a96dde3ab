//! Converts codes between the core and WIT.

use leafid_core::Code;

use crate::bindings::leafid::generator::types as wit;

/// Converts both ways, so that a code which only one side has does not compile.
macro_rules! codes {
    ($($name:ident),+ $(,)?) => {
        #[cfg(not(feature = "public"))]
        pub fn code(code: wit::Code) -> Code {
            match code { $( wit::Code::$name => Code::$name, )+ }
        }

        pub fn shown_code(code: Code) -> wit::Code {
            match code { $( Code::$name => wit::Code::$name, )+ }
        }
    };
}

codes! {
    RequestInvalid, TagInvalid, NamespaceInvalid, StepInvalid, CountInvalid, LayoutInvalid,
    WorkerInvalid, RangeInvalid, IdInvalid, Unauthorized, Forbidden, TagUnknown, NamespaceUnknown,
    NotEnabled, TagExists, LayoutMismatch, LeaseLost, StoreChanged, StoreWentBack, TagSpent,
    TimeOverflow, QuotaExceeded, StoreUnavailable, Overloaded, WorkersExhausted, SegmentDry,
    WindowSpent, SequenceSpent, ClockBehind, TimedOut, StoreRefused, SchemaMismatch, StoreUnknown,
    Internal, Closed, GrantInvalid, StateLocked, StateInvalid,
}
