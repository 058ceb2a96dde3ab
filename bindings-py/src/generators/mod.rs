//! `leafid.Segment` and `leafid.Snowflake`.

mod awaiting;
mod calls;
mod event_loop;
mod exit;
mod generator;
mod logging;
mod many;
mod quick;
mod raw;
mod segment;
mod snowflake;
mod verb;

pub use exit::{close_all, forget_all, release_all};
pub use logging::start_log;
pub use quick::{add_base32, add_class};
pub use segment::Segment;
pub use snowflake::Snowflake;
