//! `leafid apply …`: makes tags and namespaces match a file.

pub mod file;
mod plan;

use std::io::{BufRead, IsTerminal, Write};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::Args;
use leafid_core::Code;
use leafid_store::problem::Problem;
use leafid_store::registry::Registry;
use serde_json::{Value, json};

use super::client::{Client, Target};
use super::output::{is_json, remark, show};
use super::{Failure, invalid, say};
use plan::Plan;

const FORMAT: &str = r#"The file, in TOML:

  [tags.orders]
  from = 5000001            # the first number, when the tag is created
  step = 1000               # how many numbers a lease takes by default
  max_step = 1000000        # how many a lease takes at most
  until = 2147483648        # the upper end: one more than the last number

  [namespaces.edge]
  layout = "edge"           # leaf, edge, long, js53, or
                            # { epoch_ms = 1735689600000, tick_ms = 10,
                            #   time_bits = 39, worker_bits = 8, sequence_bits = 6 }
  workers = "0..64"         # the worker numbers that may be handed out
  max_window = "10m"        # the longest window

or the same in JSON: {"tags": {"orders": {"step": 1000}}, "namespaces": {"edge": {}}}.

What the file names and the store lacks is created, and values that differ are changed. A value that
the file leaves out stays as it is, or gets its default when its tag or namespace is created. Nothing
is ever deleted. If any of it is impossible (another layout after the first window, a `from` above the
position of a tag), nothing is done at all. Applying a file a second time changes
nothing.

At a terminal it shows what it would do and asks; a script is not asked."#;

#[derive(Args, Debug)]
#[command(after_long_help = FORMAT)]
pub struct Apply {
    /// The file, in TOML or JSON (`--help` shows one); `-` is standard input
    file: String,
    /// Shows what would be done without doing it
    #[arg(long)]
    dry_run: bool,
    /// Does it without asking
    #[arg(long, short, conflicts_with = "dry_run")]
    yes: bool,
    #[command(flatten)]
    target: Target,
}

impl Apply {
    pub fn run(self) -> Result<(), Failure> {
        let wanted = file::read(&self.file)?;
        // If standard input is the file, it cannot be asked for a confirmation.
        let can_ask = self.file != "-" && !is_json() && std::io::stdin().is_terminal();
        let client = self.target.connect()?;
        let plans = plan::all(&client, &wanted)?;
        apply(&client, &plans, self.dry_run, can_ask && !self.yes && !self.dry_run)
    }
}

/// Carries the plans out, once confirmed if it is to ask; a dry run only shows them.
fn apply(client: &Client, plans: &[Plan<'_>], dry_run: bool, ask: bool) -> Result<(), Failure> {
    let steps: Vec<(&Plan, &str)> =
        plans.iter().filter_map(|plan| Some((plan, plan.verb?))).collect();
    if ask && !steps.is_empty() {
        steps.iter().try_for_each(|(plan, verb)| say(format_args!("would {verb} {plan}")))?;
        if !agreed()? {
            return Err(invalid("not agreed, so nothing was done").into());
        }
    }
    for (plan, verb) in &steps {
        if !dry_run {
            plan.carry_out(client)?;
        }
        let verb = if dry_run { format!("would {verb}") } else { format!("{verb}d") };
        remark(format_args!("{verb} {plan}"))?;
    }
    let created = steps.iter().filter(|(_, verb)| *verb == "create").count();
    let (changed, kept) = (steps.len() - created, plans.len() - steps.len());
    let would = if dry_run { "would be " } else { "" };
    let steps: Vec<Value> = plans.iter().map(Plan::json).collect();
    show(
        &json!({
            "dry_run": dry_run, "created": created, "changed": changed, "kept": kept,
            "steps": steps,
        }),
        format_args!(
            "{created} {would}created, {changed} {would}changed, {kept} already as in the file"
        ),
    )
}

fn agreed() -> Result<bool, Failure> {
    let mut out = std::io::stdout().lock();
    write!(out, "do this? [y/N] ").and_then(|()| out.flush()).map_err(Failure::Output)?;
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    Ok(read.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes"))
}

/// `leafid serve --apply FILE`: applies the file in a thread of its own, as soon as the store answers, and
/// logs the changes. A store that lost something is raised before, so no lost tag is created again from 1.
pub fn at_start(wanted: Vec<file::Wanted>, store: Arc<Registry>) -> Result<(), Problem> {
    let client = Client::within(store)?;
    let work = move || {
        let mut pause = Duration::from_millis(200);
        while let Err(problem) = once(&client, &wanted) {
            // The store is down, or another server has made the change first.
            let may_pass = matches!(problem.code, Code::TagExists | Code::LayoutMismatch)
                || matches!(problem.http_status(), 429 | 503 | 504);
            let (code, detail) = (problem.code, problem.detail);
            if !may_pass {
                tracing::error!(
                    %code,
                    "the file of --apply was not applied: {detail}; the store is served as it is"
                );
                return;
            }
            tracing::warn!(%code, "not applied yet: {detail}");
            thread::sleep(pause);
            pause = Duration::from_secs(10).min(pause * 2);
        }
    };
    let begun = thread::Builder::new().name("apply".to_owned()).spawn(work);
    begun.map(drop).map_err(|error| Problem::new(Code::Internal, format!("no thread: {error}")))
}

fn once(client: &Client, wanted: &[file::Wanted]) -> Result<(), Problem> {
    let plans = plan::all(client, wanted)?;
    let mut done = 0;
    for plan in &plans {
        let Some(verb) = plan.verb else { continue };
        plan.carry_out(client)?;
        tracing::info!("{verb}d {plan}");
        done += 1;
    }
    let kept = plans.len() - done;
    tracing::info!("applied the file: {done} created or changed, {kept} as they were");
    Ok(())
}
