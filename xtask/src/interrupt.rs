//! Ctrl-C and SIGTERM: this program ends, and all that it started. What a step had finished stays, so the next
//! run goes on from there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::{Outcome, process};

/// Set where the caller polls [`asked`] and shuts down in order.
static ORDERLY: AtomicBool = AtomicBool::new(false);
/// Set as soon as a signal is there.
static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on a signal ends this program and all that it started; once [`in_order`] was called, the second
/// one does.
///
/// # Errors
/// The system refuses a handler.
pub fn watch() -> Outcome {
    let refused = |error| format!("Ctrl-C cannot be listened for: {error}");
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&ASKED)).map_err(refused)?;
    }
    let mut signals = Signals::new([SIGINT, SIGTERM]).map_err(refused)?;
    std::thread::spawn(move || {
        let orderly = |count| ORDERLY.load(Ordering::SeqCst) && count == 0;
        if (0..).zip(signals.forever()).any(|(count, _)| !orderly(count)) {
            eprintln!(
                "\nxtask: interrupted; what is finished stays, and the next run goes on from there"
            );
            process::end_all();
            std::process::exit(130);
        }
    });
    Ok(())
}

/// Whether the watching thread is about to end this program: what a child says of its end is no news then.
pub fn is_near() -> bool {
    asked() && !ORDERLY.load(Ordering::SeqCst)
}

/// The first signal only sets [`asked`] from now on.
pub fn in_order() {
    ORDERLY.store(true, Ordering::SeqCst);
}

/// Whether a signal came.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
