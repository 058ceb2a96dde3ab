//! The protocol between holders and stores: its messages, and the store's decisions as pure functions.

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
