//! The thread of a store: started at the first ID; it does not keep a process alive.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use crate::client::driver::Errand;
use crate::client::driver::hub::Hub;
use crate::client::stores::Transport;

/// Starts the thread of a store.
pub fn spawn(hub: Arc<Hub>, transport: Box<dyn Transport>) -> io::Result<()> {
    let run = move || {
        leave_signals_to_the_host();
        drive(&hub, transport);
    };
    std::thread::Builder::new().name("leafid store".to_owned()).spawn(run).map(drop)
}

fn drive(hub: &Hub, mut transport: Box<dyn Transport>) {
    loop {
        let (driven, errand) = hub.next();
        match errand {
            Errand::Ask(ask, sent) => {
                let begun = Instant::now();
                let answer = transport.ask(&ask);
                hub.answered(&*driven, &ask, sent, answer, begun.elapsed());
            }
            Errand::Release(release) => {
                transport.release(&release);
                driven.released();
            }
            Errand::Reconnect => transport.reconnect(),
            Errand::End => return driven.ended(),
            Errand::Rest(_) => {}
        }
    }
}

/// Blocks all signals here: one that this thread took would not wake the main thread, where Python
/// handles it.
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
