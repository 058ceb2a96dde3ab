//! The generators of this thread: those of another worker thread are its own.

use leafid_bindings::Handles;

thread_local! {
    pub(crate) static HANDLES: Handles = const { Handles::new() };
}
