//! Bells wake event loops: a loop cannot block until an answer comes, but it can watch a socket.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The bells of the event loops in which callers wait for one generator.
#[derive(Default)]
pub struct Bells {
    /// The number of bells, readable without the lock.
    waiting: Arc<AtomicUsize>,
    hung: Mutex<Vec<Weak<Bell>>>,
}

impl Bells {
    /// Adds a bell that rings with every answer, until it is dropped.
    pub fn hang(&self) -> Arc<Bell> {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        let bell = Arc::new(Bell { ends: platform::Ends::open(), one: Arc::clone(&self.waiting) });
        let mut hung = self.hung.lock().unwrap_or_else(PoisonError::into_inner);
        // Dropped here too, since nothing rings while the store is away, and callers come and go.
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
    /// The file descriptor to watch, readable once the bell rang. `None` where the loop has to poll.
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

    /// A pair of sockets; none if the process is at its limit of file descriptors.
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
                // A full socket wakes the loop as well.
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
    /// No sockets: not every event loop can watch them here.
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
