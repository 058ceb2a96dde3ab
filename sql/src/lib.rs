//! The tables and statements of a leafid store, as texts: for hosts that run them by drivers of
//! their own. `:name` in them is a parameter, called what the core calls the field; a row as it was
//! read has `was_` before each.

include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// Of which version the tables are, in every dialect: a program opens those of its own alone.
pub const VERSION: i64 = 1;

/// Says whose a SQLite file is (`application_id`): `leaf` as a number.
pub const SQLITE_APPLICATION: i64 = 0x6c65_6166;
