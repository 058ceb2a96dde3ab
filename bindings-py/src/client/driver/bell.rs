//! Bells wake event loops: a loop cannot rest until an answer came, but it can watch a socket.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The loops in which somebody waits for IDs of one generator.
#[derive(Default)]
pub struct Bells {
    /// How many there are, readable without the lock.
    waiting: Arc<AtomicUsize>,
    hung: Mutex<Vec<Weak<Bell>>>,
}

impl Bells {
    /// A bell that rings with every answer, until it is dropped.
    pub fn hang(&self) -> Arc<Bell> {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let bell = Arc::new(Bell { ends: platform::Ends::open(), one: Arc::clone(&self.waiting) });
        let mut hung = self.hung.lock().unwrap_or_else(PoisonError::into_inner);
        // While the store is away nothing rings, and callers come and go.
        hung.retain(|bell| bell.strong_count() > 0);
        hung.push(Arc::downgrade(&bell));
        drop(hung);
        bell
    }

    #[inline]
    pub fn are_hung(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    pub fn ring(&self) {
        if !self.are_hung() {
            return;
        }
        let mut hung = self.hung.lock().unwrap_or_else(PoisonError::into_inner);
        hung.retain(|bell| match bell.upgrade() {
            Some(bell) => {
                bell.ends.ring();
                true
            }
            None => false,
        });
    }
}

/// Wakes one loop.
pub struct Bell {
    ends: platform::Ends,
    one: Arc<AtomicUsize>,
}

impl Bell {
    /// What the loop watches: readable once it rang. `None` where the loop has to look by itself.
    pub fn descriptor(&self) -> Option<i32> {
        self.ends.descriptor()
    }

    pub fn hush(&self) {
        self.ends.hush();
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        self.one.fetch_sub(1, Ordering::AcqRel);
    }
}

#[cfg(unix)]
mod platform {
    use std::io::{Read, Write};
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    /// A pair of sockets; none if the process may have no more.
    pub struct Ends(Option<(UnixStream, UnixStream)>);

    impl Ends {
        pub fn open() -> Ends {
            let pair = UnixStream::pair().and_then(|(rung, heard)| {
                rung.set_nonblocking(true)?;
                heard.set_nonblocking(true)?;
                Ok((rung, heard))
            });
            Ends(pair.ok())
        }

        pub fn ring(&self) {
            if let Some((rung, _)) = &self.0 {
                // One that is full was not heard yet.
                let _ = (&*rung).write(&[1]);
            }
        }

        pub fn hush(&self) {
            let Some((_, heard)) = &self.0 else { return };
            let mut bytes = [0; 64];
            while (&*heard).read(&mut bytes).is_ok_and(|count| count == bytes.len()) {}
        }

        pub fn descriptor(&self) -> Option<i32> {
            self.0.as_ref().map(|(_, heard)| heard.as_raw_fd())
        }
    }
}

#[cfg(not(unix))]
mod platform {
    /// Not every loop can watch sockets here.
    pub struct Ends;

    impl Ends {
        pub fn open() -> Ends {
            Ends
        }

        pub fn ring(&self) {}

        pub fn hush(&self) {}

        pub fn descriptor(&self) -> Option<i32> {
            None
        }
    }
}
