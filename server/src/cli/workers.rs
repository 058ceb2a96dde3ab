//! `leafid worker …`

use clap::Subcommand;
use leafid_core::{Name, StoreTime};
use leafid_store::utc;
use leafid_wire::path;
use serde_json::{Value, json};

use super::Failure;
use super::client::{Client, Target};
use super::output::show;
use crate::routes::input::namespace;

#[derive(Debug, Subcommand)]
pub enum Worker {
    /// Lists the worker numbers of a namespace that were ever handed out or set aside
    List {
        /// The namespace
        namespace: String,
        #[command(flatten)]
        target: Target,
    },
    /// Takes a worker number from its holder, which may use its window to the end; after that anybody
    /// may get the number
    Release {
        /// The namespace
        namespace: String,
        /// The worker number
        #[arg(allow_negative_numbers = true)]
        worker: u32,
        #[command(flatten)]
        target: Target,
    },
    /// Records which numbers Leaf uses, so that leafid leaves them alone, and takes over those whose Leaf
    /// has stopped
    Import(Box<super::import::Import>),
}

impl Worker {
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Worker::List { namespace: name, target } => {
                let path = path::workers(namespace(&name)?);
                let rows = target.connect()?.list(&path, "workers", "worker")?;
                show(&json!({ "namespace": name, "workers": rows }), table(&rows))
            }
            Worker::Release { namespace: name, worker, target } => {
                let name = namespace(&name)?;
                release(&target.connect()?, &name, worker)
            }
            Worker::Import(import) => import.run(),
        }
    }
}

fn table(rows: &[Value]) -> String {
    let mut text = format!("{:>12} {:<6} {:<24}  owner", "worker", "held", "reserved until");
    for run in runs(rows) {
        let (Some(row), Some(last)) = (run.first(), run.last()) else { continue };
        let numbers = match (row["worker"].as_u64(), last["worker"].as_u64()) {
            (Some(first), Some(last)) if first < last => format!("{first}..{}", last + 1),
            _ => row["worker"].to_string(),
        };
        text.push_str(&format!(
            "\n{numbers:>12} {:<6} {:<24}  {}{}",
            if row["held"] == true { "yes" } else { "no" },
            reserved_until(row),
            row["owner"].as_str().unwrap_or("?"),
            if row["sticky"] == true { " (keeps it)" } else { "" }
        ));
    }
    text
}

fn release(client: &Client, name: &Name, worker: u32) -> Result<(), Failure> {
    client.call("POST", &path::revoke(name, worker), "{}".to_owned())?;
    let after = worker.checked_sub(1).map_or_else(String::new, |before| before.to_string());
    let page = client.get(&format!("{}?limit=1&after={after}", path::workers(name)))?;
    match &page["workers"][0] {
        row if row["worker"] == worker => show(
            row,
            format_args!(
                "worker {worker} of namespace `{name}` is released: nobody holds or keeps it now; its \
                 last window ends at {}, and after that anybody may get it",
                reserved_until(row)
            ),
        ),
        _ => show(
            &json!({ "worker": worker }),
            format_args!("worker {worker} of namespace `{name}` was never handed out"),
        ),
    }
}

/// Groups consecutive numbers that are neither held nor kept and whose lines are the same: hundreds may be set
/// aside for Leafs that are still to start.
fn runs(rows: &[Value]) -> impl Iterator<Item = &[Value]> {
    let number = |row: &Value| row["worker"].as_u64();
    rows.chunk_by(move |row, next| {
        let shown = ["held", "reserved_until_ms", "owner", "sticky"];
        let is_nobodys = row["held"] == false && row["owner"] == "";
        let follows = number(row).map(|number| number + 1) == number(next);
        is_nobodys && follows && shown.iter().all(|field| row[field] == next[field])
    })
}

fn reserved_until(row: &Value) -> String {
    utc::text(StoreTime::new(row["reserved_until_ms"].as_i64().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_set_aside_alike_are_one_line_and_no_others() {
        let row = |worker: u32, owner: &str, until: i64, held: bool| -> Value {
            json!({ "worker": worker, "owner": owner, "reserved_until_ms": until, "held": held,
                    "granted_ms": worker })
        };
        let rows = [
            row(0, "10.0.0.7:8080", 9, false),
            row(1, "", 9, false),
            row(2, "", 9, false),
            row(3, "", 9, false),
            row(5, "", 9, false),
            row(6, "", 8, false),
            row(7, "", 7, true),
            row(8, "", 7, true),
            row(9, "a", 7, false),
            row(10, "a", 7, false),
        ];
        let told: Vec<usize> = runs(&rows).map(<[Value]>::len).collect();
        assert_eq!(told, [1, 3, 1, 1, 1, 1, 1, 1]);
    }
}
