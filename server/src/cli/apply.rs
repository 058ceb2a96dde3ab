//! `leafid apply …`: tags and namespaces as a file says.

mod file;
mod plan;

use clap::Args;
use leafid_core::Code;

use super::client::{Client, Target};
use super::{Failure, complain, say};
use crate::problem::Problem;
use plan::{Plan, Step};

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
is ever deleted. If anything cannot be as the file says (another layout after the first window, a
`from` above where a tag stands), nothing is done at all. Applying a file a second time changes
nothing."#;

#[derive(Args, Debug)]
#[command(after_long_help = FORMAT)]
pub struct Apply {
    /// The file, in TOML or JSON (`--help` shows one); `-` is standard input
    file: String,
    /// Shows what would be done without doing it
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    target: Target,
}

impl Apply {
    /// Plans everything, then does it.
    pub fn run(self) -> Result<(), Failure> {
        let wanted = file::read(&self.file)?;
        let client = self.target.connect()?;
        let done = apply(&client, &wanted, self.dry_run);
        client.close();
        done
    }
}

fn apply(client: &Client, wanted: &[file::Wanted], dry_run: bool) -> Result<(), Failure> {
    let mut plans = Vec::new();
    let mut refused = 0;
    for wanted in wanted {
        let plan = Plan::of(client, wanted)?;
        if let Step::Refuse(why) = &plan.step {
            complain(format_args!("leafid: {}: {why}", plan.what));
            refused += 1;
        }
        plans.push(plan);
    }
    if refused > 0 {
        let detail =
            format!("{refused} of {} cannot be as the file says, so nothing was done", plans.len());
        return Err(Problem::new(Code::RequestInvalid, detail).into());
    }
    let (mut created, mut changed) = (0, 0);
    for plan in &plans {
        let (count, verb) = match plan.step {
            Step::Create => (&mut created, "create"),
            Step::Change(_) => (&mut changed, "change"),
            Step::Keep | Step::Refuse(_) => continue,
        };
        let body = plan.body.clone();
        match plan.step {
            _ if dry_run => {}
            Step::Create => drop(client.call("PUT", &plan.path, Some(body), true)?),
            _ => drop(client.change(&plan.path, body)?),
        }
        *count += 1;
        let verb = if dry_run { format!("would {verb}") } else { format!("{verb}d") };
        say(format_args!("{verb} {}", plan))?;
    }
    let kept = plans.len() - created - changed;
    let would = if dry_run { "would be " } else { "" };
    say(format_args!(
        "{created} {would}created, {changed} {would}changed, {kept} already as in the file"
    ))
}
