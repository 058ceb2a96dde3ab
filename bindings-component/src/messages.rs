//! Asks, releases and grants.

use leafid_core::{AcquireAsk, Name, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowGrant};

use crate::bindings::leafid::generator::types as wit;
use crate::values::records;

records! {
    wit::SegmentAsk { tag: Name::tag; request, store, step, at_least, exactly, have_until }
    wit::AcquireAsk {
        namespace: Name::namespace, owner: Name::owner;
        request, store, layout, length_ms, sticky, strict
    }
    wit::RenewAsk {
        namespace: Name::namespace; request, store, worker, key, have_until, length_ms
    }
    wit::Release { namespace: Name::namespace; store, worker, key, unused_from }
    wit::SegmentGrant { tag: Name::tag; request, store, range, step, max_step, remaining, now }
    wit::WindowGrant { ; request, store, worker, ticks, layout, now, max_window_ms }
}
