//! Which generator a handle names: one table per thread, so that threads share nothing.

use std::cell::RefCell;
use std::collections::BTreeMap;

use leafid_core::{HostTime, Refusal, Segment, Snowflake};

/// A generator of either kind.
pub enum Generator {
    /// Numbers of a tag.
    Segment(Box<Segment>),
    /// Stamps of a worker's time.
    Snowflake(Box<Snowflake>),
}

/// Does the same with a generator of either kind.
macro_rules! each {
    ($generator:expr, $g:ident => $body:expr) => {
        match $generator {
            $crate::table::Generator::Segment($g) => $body,
            $crate::table::Generator::Snowflake($g) => $body,
        }
    };
}
pub(crate) use each;

/// A generator, and what its last draw said.
pub struct Slot {
    /// The generator.
    pub generator: Generator,
    /// Why the last draw gave nothing.
    pub refusal: Option<Refusal>,
    /// When the tick of the last draw's first ID is over, on the host's clock.
    pub good_until: HostTime,
}

thread_local! {
    static TABLE: RefCell<BTreeMap<u32, Slot>> = const { RefCell::new(BTreeMap::new()) };
}

/// Puts a generator under a handle, which the caller never uses twice.
pub fn put(handle: u32, generator: Generator) {
    let slot = Slot { generator, refusal: None, good_until: HostTime::MIN };
    TABLE.with_borrow_mut(|table| table.insert(handle, slot));
}

/// Removes it.
pub fn remove(handle: u32) {
    TABLE.with_borrow_mut(|table| table.remove(&handle));
}

/// Does something with it, if it is there. Nothing of JavaScript's may run within: it could come
/// back here.
pub fn with<T>(handle: u32, act: impl FnOnce(&mut Slot) -> T) -> Option<T> {
    TABLE.with_borrow_mut(|table| table.get_mut(&handle).map(act))
}
