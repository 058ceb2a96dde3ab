//! The proof that the core cannot panic and needs nothing of its host.
//!
//! Every public verb stands behind `extern "C"` with arguments that the optimiser knows nothing
//! about. The panic handler calls a function that nobody defines: the module imports it exactly
//! when the optimiser could not rule a panic out. There is no allocator, so a core that took
//! memory would not link at all.
#![no_std]

/// Functions whose results the optimiser must compute: they are written where a host could read.
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
    // SAFETY: it is never linked into anything that runs; its presence is the finding.
    unsafe { the_core_can_panic() }
}
