//! The fork guard: whether this is still the process in which something was made.
//!
//! One word in a page that the kernel wipes in every child (`MADV_WIPEONFORK`), the raw system
//! call included; reading it costs a load. Where the kernel refuses the advice, `pthread_atfork`
//! wipes it and the process id is compared as well.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Which process this is, counted along the line of forks; 0 in a child that has not asked yet.
#[derive(Clone, Copy, Debug)]
pub struct Generation {
    number: u64,
    /// What has this number as long as it is this process, if that can be told by a load.
    seen: &'static AtomicU64,
}

impl Generation {
    pub fn number(self) -> u64 {
        self.number
    }
}

static WORD: OnceLock<&'static AtomicU64> = OnceLock::new();
static NEXT: AtomicU64 = AtomicU64::new(1);
static FALLBACK: AtomicBool = AtomicBool::new(false);
static PID: AtomicU64 = AtomicU64::new(0);

/// What a generation sees where no page is wiped: never its number.
static NOTHING: AtomicU64 = AtomicU64::new(0);

/// Whether `then` is this process.
#[inline]
pub fn is_current(then: Generation) -> bool {
    is_current_by_load(then) || is_current_by_id(then.number)
}

/// The same, by a load and nothing else: false as well where no page is wiped.
#[inline]
pub fn is_current_by_load(then: Generation) -> bool {
    cfg!(feature = "unguarded") || then.seen.load(Ordering::Relaxed) == then.number
}

/// The same where no page is wiped.
#[cold]
fn is_current_by_id(then: u64) -> bool {
    let is_same = || PID.load(Ordering::Relaxed) == pid();
    let word = WORD.get().map_or(0, |word| word.load(Ordering::Relaxed));
    FALLBACK.load(Ordering::Relaxed) && word == then && is_same()
}

/// This process. In a child, the first call gives it a generation of its own. One at a time, so
/// that two threads of one child do not count twice.
pub fn current() -> Generation {
    let word = WORD.get_or_init(|| {
        platform::wiped_word().unwrap_or_else(|| {
            FALLBACK.store(true, Ordering::Relaxed);
            let word: &'static AtomicU64 = Box::leak(Box::default());
            platform::at_fork();
            word
        })
    });
    let strange = FALLBACK.load(Ordering::Relaxed) && PID.swap(pid(), Ordering::Relaxed) != pid();
    if strange || word.load(Ordering::Relaxed) == 0 {
        word.store(NEXT.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
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
        // SAFETY: `page` is a mapping of `size` bytes that nobody else knows.
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
