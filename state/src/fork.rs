//! Closes the files in forked children. A lock lasts until its last copy is closed, and a restarted parent
//! must be able to take it.

use std::os::fd::RawFd;
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};

/// Files that are closed in a child, at most: two for each generator.
const MOST: usize = 256;
const NONE: RawFd = -1;

static OPEN: [AtomicI32; MOST] = [const { AtomicI32::new(NONE) }; MOST];

/// Has every child close this descriptor; says whether there was room for it.
pub fn close_in_children(fd: RawFd) -> bool {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(at_fork);
    let take =
        |place: &AtomicI32| place.compare_exchange(NONE, fd, Ordering::SeqCst, Ordering::SeqCst);
    OPEN.iter().any(|place| take(place).is_ok())
}

/// Forgets a descriptor that is closed, which may soon be another file's.
pub fn closed(fd: RawFd) {
    for place in &OPEN {
        let _ = place.compare_exchange(fd, NONE, Ordering::SeqCst, Ordering::SeqCst);
    }
}

#[expect(unsafe_code, reason = "the handler is registered with the C library")]
fn at_fork() {
    extern "C" fn close_all() {
        for place in &OPEN {
            let fd = place.swap(NONE, Ordering::SeqCst);
            if fd != NONE {
                // SAFETY: `close` may be called after a fork; the number is that of a file of this
                // crate, which the child does not use again.
                unsafe { libc::close(fd) };
            }
        }
    }
    // SAFETY: the handler uses atomics and `close` alone, which a child may do.
    unsafe { libc::pthread_atfork(None, None, Some(close_all)) };
}
