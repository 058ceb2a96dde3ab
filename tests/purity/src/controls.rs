//! Controls: faults that the proof must find.

#[cfg(feature = "control-alloc")]
mod alloc {
    extern crate alloc;

    verbs! {
        control_alloc(number: &u64) -> u64 { *alloc::boxed::Box::new(*number) }
    }
}

#[cfg(feature = "control-panic")]
verbs! {
    control_panic(number: &Option<u64>) -> u64 { number.unwrap() }
}

#[cfg(feature = "control-import")]
mod import {
    unsafe extern "C" {
        fn clock_of_the_host() -> i64;
    }

    verbs! {
        control_import() -> i64 {
            // SAFETY: never run; only the import matters.
            unsafe { clock_of_the_host() }
        }
    }
}
