//! The proof that the core cannot panic and needs nothing of its host.
//!
//! Every public verb is exported as `extern "C"`, with arguments unknown to the optimizer. The panic
//! handler calls an undefined function: the module imports it exactly when the optimizer cannot rule
//! out a panic. There is no allocator, so a core that allocates would not link.
#![no_std]

/// Exported functions; their results are written where a host could read, so they must be computed.
macro_rules! verbs {
    (of $whose:literal; $($name:ident($($arg:ident: $ty:ty),* $(,)?) -> $out:ty $body:block)*) => {$(
        #[unsafe(export_name = concat!($whose, "_", stringify!($name)))]
        pub extern "C" fn $name(out: &mut $out, $($arg: $ty),*) {
            *out = $body;
        }
    )*};
    ($($name:ident($($arg:ident: $ty:ty),* $(,)?) -> $out:ty $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub extern "C" fn $name(out: &mut $out, $($arg: $ty),*) {
            *out = $body;
        }
    )*};
}

mod fields;
mod forms;
mod generators;
mod shared;
mod state;
mod stores;

#[cfg(any(feature = "control-alloc", feature = "control-panic", feature = "control-import"))]
mod controls;

unsafe extern "C" {
    fn the_core_can_panic() -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: never linked into anything that runs; only its presence matters.
    unsafe { the_core_can_panic() }
}
