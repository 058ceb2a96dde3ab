//! Access control: principals, their tokens and their quotas, in a file beside the server's configuration.
//!
//! They are not kept in the store: a backup of it would carry the tokens' hashes, a restored store would
//! bring a revoked token back, and a server could not authenticate anybody while its store is away.

pub mod caller;
pub mod file;
pub mod fresh;
pub mod meter;
pub mod principal;
pub mod secret;
pub mod tokens;
