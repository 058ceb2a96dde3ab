//! What a holder has of a worker number.

use crate::values::Token;

/// The right to a worker number: what a renewal and a release have to show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lease {
    pub(super) worker: u32,
    /// The request id of the acquire, over all renewals.
    pub(super) key: Token,
    pub(super) store: Token,
    /// The end in hand. The next renewal begins there or is refused: a hole between the two may
    /// have been granted to somebody else, and so may what lies below.
    pub(super) end_tick: u64,
}
