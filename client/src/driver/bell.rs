//! Bells wake event loops: a loop cannot block until an answer comes, but it can watch a socket.

#[cfg(unix)]
use std::io::{Read, Result, Write};
#[cfg(unix)]
use std::os::{fd::AsRawFd, unix::net::UnixStream};
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
        let bell = Arc::new(Bell {
            #[cfg(unix)]
            ends: pair().ok(),
            one: Arc::clone(&self.waiting),
        });
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
        if self.are_hung() {
            let hung = self.hung.lock().unwrap_or_else(PoisonError::into_inner);
            hung.iter().filter_map(Weak::upgrade).for_each(|bell| bell.ring());
        }
    }
}

/// Wakes one loop. Only where there are sockets that every loop can watch.
pub struct Bell {
    /// A pair of sockets; none if the process is at its limit of file descriptors.
    #[cfg(unix)]
    ends: Option<(UnixStream, UnixStream)>,
    one: Arc<AtomicUsize>,
}

#[cfg(unix)]
fn pair() -> Result<(UnixStream, UnixStream)> {
    let (rung, heard) = UnixStream::pair()?;
    rung.set_nonblocking(true)?;
    heard.set_nonblocking(true)?;
    Ok((rung, heard))
}

impl Bell {
    /// The file descriptor to watch, readable once the bell rang. `None` where the loop has to poll.
    pub fn descriptor(&self) -> Option<i32> {
        #[cfg(unix)]
        if let Some((_, heard)) = &self.ends {
            return Some(heard.as_raw_fd());
        }
        None
    }

    fn ring(&self) {
        #[cfg(unix)]
        if let Some((rung, _)) = &self.ends {
            // A full socket wakes the loop as well.
            let _ = (&*rung).write(&[1]);
        }
    }

    /// Silences the bell, so that it can ring again.
    pub fn hush(&self) {
        #[cfg(unix)]
        if let Some((_, heard)) = &self.ends {
            let mut bytes = [0; 64];
            while (&*heard).read(&mut bytes).is_ok_and(|count| count == bytes.len()) {}
        }
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        self.one.fetch_sub(1, Ordering::AcqRel);
    }
}
