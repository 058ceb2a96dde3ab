//! Threads beside the host's own.

use std::io;
use std::thread::{Builder, Thread};

/// Starts a thread, which does not keep the process alive.
pub fn spawn(name: impl Into<String>, run: impl FnOnce() + Send + 'static) -> io::Result<Thread> {
    let run = || {
        leave_signals_to_the_host();
        run();
    };
    Builder::new().name(name.into()).spawn(run).map(|handle| handle.thread().clone())
}

/// Blocks all signals here: one that this thread took would not wake the main thread, where Python
/// handles it.
#[cfg(unix)]
#[expect(unsafe_code, reason = "neither the standard library nor rustix has signal masks")]
fn leave_signals_to_the_host() {
    let mut all = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigfillset` initialises the set, which then is only read; the mask is this
    // thread's own.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut());
    }
}

#[cfg(not(unix))]
fn leave_signals_to_the_host() {}
