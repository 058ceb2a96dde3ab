//! The verbs for event loops: `await ids.anext()` and its like.
//!
//! An awaitable ([`object`]) draws when it is awaited. While IDs are at hand that is all: no thread,
//! no task switch, no Python code. Where it has to wait, `leafid._aio` does so with a [`Waiter`] and
//! a `LoopBell`, in the way of the running loop.

mod object;
mod waiter;

pub use object::awaitable;
use waiter::Waiter;
