//! Reads tokens and certificates again when their files change.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::MissedTickBehavior;
use tokio_rustls::rustls::pki_types::UnixTime;

use super::tls::{Ends, Tls};
use crate::access::tokens::Tokens;
use crate::host::Hangups;

const PAUSE: Duration = Duration::from_secs(1);

#[derive(Clone, Debug, Default)]
pub struct Reload {
    pub tokens: Option<Arc<Tokens>>,
    pub tls: Option<Arc<Tls>>,
}

impl Reload {
    /// Reads changed files again, and all of them at each hangup, for ever. If one cannot be used, the
    /// last good one stays in force, and the log says so once.
    pub async fn run(self, mut hangups: Hangups) {
        let mut seconds = tokio::time::interval(PAUSE);
        seconds.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let in_any_case = tokio::select! {
                _ = seconds.tick() => false,
                _ = hangups.recv() => true,
            };
            let this = self.clone();
            let _ = tokio::task::spawn_blocking(move || this.look(in_any_case)).await;
        }
    }

    fn look(&self, in_any_case: bool) {
        if in_any_case {
            tracing::info!("reading tokens and certificates again");
        }
        match self.tokens.as_ref().map(|tokens| tokens.reload(in_any_case)) {
            None | Some(Ok(None)) => {}
            Some(Ok(Some(principals))) => {
                tracing::info!(principals, "the token file is read again")
            }
            Some(Err(problem)) => {
                tracing::error!("the tokens stay as they were: {problem}");
            }
        }
        match self.tls.as_ref().map(|tls| tls.reload(in_any_case)) {
            None | Some(Ok(false)) => {}
            Some(Ok(true)) => {
                tracing::info!("the certificate was read again; open connections keep the old one")
            }
            Some(Err(problem)) => {
                tracing::error!("the certificate stays as it was: {problem}");
            }
        }
        match self.tls.as_ref().and_then(|tls| tls.ends(UnixTime::now())) {
            None => {}
            Some(Ends::Soon(soon)) => tracing::warn!("{soon}"),
            Some(Ends::Now(why)) => tracing::error!("{why}"),
        }
    }
}
