//! The engine of leafid for Python.

mod buffer;
mod carry;
mod clock;
mod dict;
mod errors;
mod generator;
mod guard;
mod http;
mod json;
mod kind;
mod layout;
mod live;
mod machine;
mod many;
mod memory;
mod object;
mod owner;
mod random;
mod registry;
mod seen;
mod segment;
mod slot;
mod snowflake;
mod state;
mod store;
mod table;
mod text;
mod transport;
mod verbs;
mod wait;
mod work;

/// What `leafid` in Python imports; its public face is the package around it.
#[pyo3::pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::clock::TestClock;
    #[pymodule_export]
    use crate::http::HttpStore;
    #[pymodule_export]
    use crate::layout::{PyLayout, decode};
    #[pymodule_export]
    use crate::live::close_all;
    #[pymodule_export]
    use crate::machine::Machine;
    #[pymodule_export]
    use crate::memory::MemoryStore;
    #[pymodule_export]
    use crate::object::Carrier;
    #[pymodule_export]
    use crate::registry::{acquire, lease_segment, namespace_row, release, renew, tag_row};
    #[pymodule_export]
    use crate::segment::Segment;
    #[pymodule_export]
    use crate::snowflake::Snowflake;
    #[pymodule_export]
    use crate::table::{code, code_from_http, codes, sentence};
    #[pymodule_export]
    use crate::text::{base32, decimal, parse_base32, parse_decimal};

    /// The version of this engine.
    #[pyfunction]
    fn engine_version() -> &'static str {
        env!("CARGO_PKG_VERSION")
    }
}
