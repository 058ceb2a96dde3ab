//! One ask of a store, as logs and metrics have it.

use leafid_core::{Ask, Grant};

use crate::Error;
use crate::driver::Config;
use crate::stores::Transport;

/// Carries an ask. With the feature `tracing` in a span `leafid.ask`; with `metrics` counted in
/// `leafid_asks_total` (`of`, `outcome`: `granted` or the failure's code), and timed in `leafid_ask_seconds` (`of`).
pub fn ask(
    transport: &mut dyn Transport,
    #[cfg_attr(
        not(any(feature = "tracing", feature = "metrics")),
        expect(unused_variables, reason = "it names the generator in both")
    )]
    config: &Config,
    ask: &Ask,
) -> Result<Grant, Error> {
    #[cfg(feature = "tracing")]
    let _span = tracing::debug_span!("leafid.ask", of = %config.subject()).entered();
    #[cfg(feature = "metrics")]
    let began = std::time::Instant::now();
    let answer = transport.ask(ask);
    #[cfg(feature = "metrics")]
    {
        let of = config.subject().to_string();
        let outcome = answer.as_ref().err().map_or("granted", |failed| failed.code().as_str());
        metrics::histogram!("leafid_ask_seconds", "of" => of.clone()).record(began.elapsed());
        metrics::counter!("leafid_asks_total", "of" => of, "outcome" => outcome).increment(1);
    }
    answer
}
