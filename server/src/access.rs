//! Who may ask for what: principals, their tokens and their quotas, in a file beside the server's
//! configuration.
//!
//! They do not stand in the store: a backup of the store would carry who may use it, a store that went
//! back would bring back a token that was revoked, and a server whose store is away could not say who
//! asks.

pub mod allow;
pub mod file;
pub mod fresh;
pub mod meter;
pub mod principal;
pub mod secret;
pub mod tokens;
