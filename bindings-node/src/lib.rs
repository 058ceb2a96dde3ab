//! The engine of leafid for Node.

use napi_derive::napi;

/// The version of this engine, compared with the package's own when it is loaded.
#[napi]
pub fn engine_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
