//! Where turns are taken: on a thread of their own, or as a task of a runtime that is there already.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use tokio::runtime::{Builder, Handle};
use tokio::sync::watch;

/// Turns that are being taken.
pub struct Run {
    /// A thread that nothing but a closed queue ends.
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Its other end goes with the turns.
    ends: watch::Receiver<()>,
}

impl Run {
    /// Takes turns as a task of this runtime, or else on a thread.
    ///
    /// # Errors
    /// There is no thread to be had.
    pub fn start(
        runtime: Option<&Handle>,
        turns: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<Run> {
        let (going, ends) = watch::channel(());
        let turns = async move {
            turns.await;
            drop(going);
        };
        let thread = match runtime {
            Some(runtime) => {
                runtime.spawn(turns);
                None
            }
            None => {
                let own = Builder::new_current_thread().enable_all().build()?;
                let thread = std::thread::Builder::new().name("leafid-store".to_owned());
                Some(thread.spawn(move || own.block_on(turns))?)
            }
        };
        Ok(Run { thread: Mutex::new(thread), ends })
    }

    /// Waits until the last turn is over.
    pub async fn done(&self) {
        let mut ends = self.ends.clone();
        // Nothing is ever sent: it hears when there is nobody left who could.
        while ends.changed().await.is_ok() {}
    }

    /// Waits for the thread, if there is one. A task is not waited for: this may be one of those that
    /// it needs to go on.
    pub fn join(&self) {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        // One that panicked has said so itself.
        thread.map(JoinHandle::join);
    }
}
