//! What passes between a holder and a store, and the store's side of it, pure.

mod carryover;
mod message;
pub mod registry;
mod state;

pub use carryover::Carryover;
pub use message::{
    AcquireAsk, Ask, Failure, Grant, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowAsk,
    WindowGrant,
};
pub use state::{StateFile, StatePlace, StateRecord, StateWrite, Unread};
