//! A holder's lease of a worker number.

use crate::values::Token;

/// The right to a worker number, as a renewal and a release have to prove it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lease {
    pub(super) worker: u32,
    /// The request id of the acquire, the same through all renewals.
    pub(super) key: Token,
    pub(super) store: Token,
    /// The end in hand. The next renewal begins there or is refused: ticks in a hole between the two
    /// may have been granted to another holder.
    pub(super) end_tick: u64,
}
