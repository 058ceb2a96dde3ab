//! What differs between the two generators on this host: how they are built and named.

use std::sync::Arc;

use leafid_core::{Ids, Refusal, SharedLine};

/// What a generator is built from, again in every forked child.
pub trait Kind: Send + Sync + 'static {
    /// Where its ranges come from.
    type Core: leafid_core::Kind<Ids: Ids + Send + Sync> + Send;
    /// Whether drawing looks at the time.
    const READS_CLOCK: bool;
    /// The store's methods that it uses.
    const VERBS: &'static [&'static str];

    /// The generator, over this line.
    ///
    /// # Errors
    /// The core's.
    fn build(
        &self,
        seed: u64,
        line: Arc<SharedLine>,
    ) -> Result<leafid_core::Generator<Self::Core, Arc<SharedLine>>, Refusal>;

    /// What it is, for a message: `` tag `orders` ``.
    fn about(&self) -> String;
}
