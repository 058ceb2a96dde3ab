//! The fork guard: detects whether this is still the process in which something was made.
//!
//! A word in a page that the kernel wipes in every child (`MADV_WIPEONFORK`), also after the raw system
//! call; reading it costs a load. Where the kernel refuses, `pthread_atfork` wipes the word, and the
//! process id is compared as well.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A process, numbered along the chain of forks.
#[derive(Clone, Copy, Debug)]
pub struct Generation {
    pub number: u64,
    /// Contains `number` as long as this is the same process, where the kernel wipes pages.
    seen: &'static AtomicU64,
}

static WORD: OnceLock<&'static AtomicU64> = OnceLock::new();
static NEXT: AtomicU64 = AtomicU64::new(1);
static FALLBACK: AtomicBool = AtomicBool::new(false);
static PID: AtomicU64 = AtomicU64::new(0);

/// The word that a generation reads where no page is wiped: never its number.
static NOTHING: AtomicU64 = AtomicU64::new(0);

/// Whether this is still the process `then`.
#[inline]
pub fn is_current(then: Generation) -> bool {
    is_current_by_load(then) || is_current_by_id(then.number)
}

/// As [`is_current`], with a single load: always false where no page is wiped.
#[inline]
pub fn is_current_by_load(then: Generation) -> bool {
    cfg!(feature = "unguarded") || then.seen.load(Ordering::Relaxed) == then.number
}

/// As [`is_current`], where no page is wiped.
#[cold]
fn is_current_by_id(then: u64) -> bool {
    let is_same = || PID.load(Ordering::Relaxed) == pid();
    let word = WORD.get().map_or(0, |word| word.load(Ordering::Relaxed));
    FALLBACK.load(Ordering::Relaxed) && word == then && is_same()
}

/// This process's generation, which a forked child gets with its first call.
pub fn current() -> Generation {
    let word = WORD.get_or_init(|| {
        platform::wiped_word().unwrap_or_else(|| {
            FALLBACK.store(true, Ordering::Relaxed);
            let word: &'static AtomicU64 = Box::leak(Box::default());
            platform::at_fork();
            word
        })
    });
    if FALLBACK.load(Ordering::Relaxed) && PID.load(Ordering::Relaxed) != pid() {
        word.store(0, Ordering::Relaxed);
        PID.store(pid(), Ordering::Relaxed);
    }
    if word.load(Ordering::Relaxed) == 0 {
        // The first of several threads gives the number.
        let own = NEXT.fetch_add(1, Ordering::Relaxed);
        let _ = word.compare_exchange(0, own, Ordering::Relaxed, Ordering::Relaxed);
    }
    let seen = if FALLBACK.load(Ordering::Relaxed) { &NOTHING } else { *word };
    Generation { number: word.load(Ordering::Relaxed), seen }
}

fn pid() -> u64 {
    std::process::id().into()
}

#[cfg(unix)]
mod platform {
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A word in a page of its own that is zero in every child.
    #[cfg(target_os = "linux")]
    #[expect(unsafe_code, reason = "the page has to be mapped and advised by hand")]
    pub fn wiped_word() -> Option<&'static AtomicU64> {
        use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
        let (size, access) = (rustix::param::page_size(), ProtFlags::READ | ProtFlags::WRITE);
        // SAFETY: a fresh, private, anonymous mapping that overlaps nothing.
        let page =
            unsafe { mmap_anonymous(std::ptr::null_mut(), size, access, MapFlags::PRIVATE).ok()? };
        // SAFETY: `page` is a mapping of `size` bytes that nothing else uses.
        if unsafe { madvise(page, size, Advice::LinuxWipeOnFork) }.is_err() {
            // SAFETY: as above; nothing points into it.
            let _ = unsafe { munmap(page, size) };
            return None;
        }
        // SAFETY: the page is zeroed (a valid `AtomicU64`), aligned, writable and never unmapped.
        Some(unsafe { &*page.cast::<AtomicU64>() })
    }

    /// A word in a page of its own that is zero in every child.
    #[cfg(not(target_os = "linux"))]
    pub fn wiped_word() -> Option<&'static AtomicU64> {
        None
    }

    /// Wipes the word in every child that `fork` makes.
    #[expect(unsafe_code, reason = "the handler is registered with the C library")]
    pub fn at_fork() {
        extern "C" fn wipe() {
            if let Some(word) = super::WORD.get() {
                word.store(0, Ordering::Relaxed);
            }
        }
        // SAFETY: the handler only stores to an atomic that is never freed, which a child may do.
        unsafe { libc::pthread_atfork(None, None, Some(wipe)) };
    }
}

#[cfg(not(unix))]
mod platform {
    use std::sync::atomic::AtomicU64;

    pub fn wiped_word() -> Option<&'static AtomicU64> {
        None
    }

    pub fn at_fork() {}
}
