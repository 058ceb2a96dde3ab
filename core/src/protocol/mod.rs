//! What passes between a holder and a store, and the store's side of it, pure.

mod carryover;
mod fields;
mod message;
pub mod registry;
mod state;
pub mod strict;

pub use carryover::Carryover;
pub(crate) use fields::need;
pub use fields::{FieldForm, FieldReader, FieldSchema, FieldWriter, Fields, Presence};
pub use message::{
    AcquireAsk, Ask, Failure, Grant, Release, RenewAsk, SegmentAsk, SegmentGrant, WindowAsk,
    WindowGrant,
};
pub use state::{StateFile, StatePlace, StateRecord, StateWrite, Unread};
