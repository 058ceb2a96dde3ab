//! Ctrl-C and SIGTERM: what was started ends, in every step. What a step had finished stays, so the next
//! run goes on from there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};

use crate::{Outcome, process};

/// Set where the caller polls [`asked`] and shuts down in order.
static ORDERLY: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);
static SIGNALLED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on a signal ends this program and all that it started; once [`in_order`] was called, the second
/// one does.
///
/// # Errors
/// The system refuses a handler.
pub fn watch() -> Outcome {
    let pressed = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        for flag in [&pressed, &SIGNALLED] {
            signal_hook::flag::register(signal, Arc::clone(flag))
                .map_err(|error| format!("Ctrl-C cannot be listened for: {error}"))?;
        }
    }
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(20));
            let again = ASKED.load(Ordering::SeqCst);
            if !pressed.swap(false, Ordering::SeqCst) {
                continue;
            }
            ASKED.store(true, Ordering::SeqCst);
            if again || !ORDERLY.load(Ordering::SeqCst) {
                eprintln!(
                    "\nxtask: interrupted; what is finished stays, and the next run goes on from there"
                );
                process::end_all();
                std::process::exit(130);
            }
        }
    });
    Ok(())
}

/// Whether the watching thread is about to end this program: what a child says of its end is no news then.
pub fn is_near() -> bool {
    SIGNALLED.load(Ordering::SeqCst) && !ORDERLY.load(Ordering::SeqCst)
}

/// The first signal only sets [`asked`] from now on.
pub fn in_order() {
    ORDERLY.store(true, Ordering::SeqCst);
}

/// Whether a signal came.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
