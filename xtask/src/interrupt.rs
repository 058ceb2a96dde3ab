//! Ctrl-C and SIGTERM end this program, and all that it started. Finished steps stay, so the next run goes on
//! from there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::{Outcome, process};

/// Whether the caller polls [`asked`], and shuts down in order.
static ORDERLY: AtomicBool = AtomicBool::new(false);
/// Set by the first signal.
static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Makes a signal end this program and all that it started; after [`in_order`] only the second one does.
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

/// Whether the watching thread is about to end this program: then a child's failure is not reported.
pub fn is_near() -> bool {
    asked() && !ORDERLY.load(Ordering::SeqCst)
}

/// From now on the first signal only sets [`asked`].
pub fn in_order() {
    ORDERLY.store(true, Ordering::SeqCst);
}

/// Whether a signal came.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
