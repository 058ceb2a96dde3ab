//! The bugs, and the switch that turns on one of them.

use std::sync::atomic::{AtomicU8, Ordering};

macro_rules! seeded {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// One seeded bug.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Bug {
            /// No bug: the code as it is.
            None,
            $($(#[$doc])* $name,)*
        }

        impl Bug {
            /// Every bug there is, without [`Bug::None`].
            pub const ALL: &'static [Bug] = &[$(Bug::$name,)*];
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/list.rs"));

static SEEDED: AtomicU8 = AtomicU8::new(0);

/// Switches one bug on, for the whole process.
pub fn seed(bug: Bug) {
    SEEDED.store(bug as u8, Ordering::SeqCst);
}

/// Whether this bug is on.
pub fn on(bug: Bug) -> bool {
    SEEDED.load(Ordering::Relaxed) == bug as u8
}
