//! `leafid.Segment` and `leafid.Snowflake`.

mod awaiting;
mod class;
mod exit;
mod generator;
mod many;
mod segment;
mod snowflake;

pub use awaiting::{LoopBell, Waiter};
pub use exit::close_all;
pub use segment::Segment;
pub use snowflake::Snowflake;
