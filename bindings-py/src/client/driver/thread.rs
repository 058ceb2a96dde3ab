//! A thread that drives a generator: started at the first ID, and nothing that keeps a process
//! alive.

use std::io;
use std::sync::Arc;

use crate::client::driver::{Action, Driven};
use crate::client::stores::Transport;

/// Starts the thread of a generator.
///
/// # Errors
/// If the system gives no thread.
pub fn spawn(driven: Arc<dyn Driven>, transport: Box<dyn Transport>) -> io::Result<()> {
    let name = format!("leafid {}", driven.about());
    let run = move || {
        leave_signals_to_the_host();
        drive(&*driven, transport);
    };
    std::thread::Builder::new().name(name).spawn(run).map(drop)
}

fn drive(driven: &dyn Driven, mut transport: Box<dyn Transport>) {
    loop {
        match driven.next_action() {
            Action::Ask(ask, sent) => driven.answered(&ask, sent, transport.ask(&ask)),
            Action::Release(release) => transport.release(&release),
            Action::Reconnect => transport.reconnect(),
            Action::Wait(_) => {}
            Action::End => break,
        }
    }
    driven.ended();
}

/// A signal that this thread took would not wake the main thread, where Python handles it.
#[cfg(unix)]
#[expect(unsafe_code, reason = "neither the standard library nor rustix has signal masks")]
pub(super) fn leave_signals_to_the_host() {
    let mut all = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigfillset` initialises the set, which then is only read; the mask is this
    // thread's own.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut());
    }
}

#[cfg(not(unix))]
pub(super) fn leave_signals_to_the_host() {}
