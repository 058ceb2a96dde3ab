//! `leafid serve --apply FILE`: what the file says is made when a server starts, by the server itself.
//!
//! A store that lost something is fenced before that, so a tag that is missing for that reason is not
//! created from 1: a fenced store wants its `from`.

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use leafid_core::Code;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;

use super::file::{self, Wanted};
use super::plan::{Plan, Step};
use crate::cli::client::Client;

/// The pause after the first failure that may pass, and the longest.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(10)];

/// A file that was read.
pub struct File(Vec<Wanted>);

impl File {
    /// Reads it whole.
    ///
    /// # Errors
    /// As of `leafid apply`.
    pub fn read(path: &Path) -> Result<File, Problem> {
        file::read(&path.to_string_lossy()).map(File)
    }

    /// Does it as soon as the store can be asked, in a thread of its own; the log says what was done.
    ///
    /// # Errors
    /// `INTERNAL` where there can be no thread.
    pub fn apply_to(self, store: Arc<Registry>) -> Result<(), Problem> {
        let client = Client::within(store)?;
        let work = move || {
            self.try_until_done(&client);
            client.close();
        };
        let begun = thread::Builder::new().name("apply".to_owned()).spawn(work);
        begun.map(drop).map_err(|error| Problem::new(Code::Internal, format!("no thread: {error}")))
    }

    fn try_until_done(&self, client: &Client) {
        let [mut pause, longest] = PAUSES;
        loop {
            match self.once(client) {
                Ok((done, kept)) => {
                    tracing::info!(
                        "applied the file: {done} created or changed, {kept} as they were"
                    );
                    return;
                }
                // Down, or another server was faster.
                Err(problem) if may_pass(&problem) => {
                    tracing::warn!(code = %problem.code, "not applied yet: {}", problem.detail);
                    thread::sleep(pause);
                    pause = longest.min(pause * 2);
                }
                Err(problem) => {
                    tracing::error!(
                        code = %problem.code,
                        "the file of --apply was not applied: {}; the store is served as it is",
                        problem.detail
                    );
                    return;
                }
            }
        }
    }

    /// Plans all of it, then does it.
    fn once(&self, client: &Client) -> Result<(usize, usize), Problem> {
        let plans: Vec<Plan> =
            self.0.iter().map(|wanted| Plan::of(client, wanted)).collect::<Result<_, _>>()?;
        let refused = |plan: &Plan| match &plan.step {
            Step::Refuse(why) => Some(format!("{}: {why}", plan.what)),
            _ => None,
        };
        let refused: Vec<String> = plans.iter().filter_map(refused).collect();
        if !refused.is_empty() {
            return Err(Problem::new(Code::RequestInvalid, refused.join("; ")));
        }
        let mut done = 0;
        for plan in &plans {
            let Some(verb) = plan.verb() else { continue };
            plan.carry_out(client)?;
            tracing::info!("{verb}d {plan}");
            done += 1;
        }
        Ok((done, plans.len() - done))
    }
}

fn may_pass(problem: &Problem) -> bool {
    let raced = matches!(problem.code, Code::TagExists | Code::LayoutMismatch);
    raced || matches!(problem.http_status(), 429 | 503 | 504)
}
