//! Ctrl-C and SIGTERM, where a job has to end in order. Elsewhere they end this program, and the terminal's also what
//! it started. Finished steps stay, so the next run goes on from there.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_shutdown};

use crate::Outcome;

/// Set by the first signal.
static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// From now on the first signal only sets [`asked`]; the second one ends this program.
///
/// # Errors
/// The system refuses a handler.
pub fn in_order() -> Outcome {
    for signal in [SIGINT, SIGTERM] {
        register_conditional_shutdown(signal, 130, Arc::clone(&ASKED))
            .and_then(|_| register(signal, Arc::clone(&ASKED)))
            .map_err(|error| format!("Ctrl-C cannot be listened for: {error}"))?;
    }
    Ok(())
}

/// Whether a signal came.
pub fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
