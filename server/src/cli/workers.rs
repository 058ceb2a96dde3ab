//! `leafid worker …`

use clap::{Args, Subcommand};
use leafid_core::{Name, StoreTime};
use leafid_store::problem::Problem;
use leafid_store::utc;
use leafid_wire::path;
use serde_json::{Value, json};

use super::client::{Client, Target};
use super::output::{is_json, show};
use super::{Failure, say};
use crate::routes::input::namespace;

#[derive(Debug, Subcommand)]
pub enum Worker {
    /// Lists the worker numbers of a namespace that were ever handed out or set aside
    List(List),
    /// Takes a worker number from its holder, which may use its window to the end; after that anybody
    /// may get the number
    Release(Release),
    /// Records which numbers Leaf uses, so that leafid leaves them alone, and takes over those whose Leaf
    /// has stopped
    Import(Box<super::import::Import>),
}

#[derive(Args, Debug)]
pub struct List {
    /// The namespace
    namespace: String,
    #[command(flatten)]
    target: Target,
}

#[derive(Args, Debug)]
pub struct Release {
    /// The namespace
    namespace: String,
    /// The worker number
    #[arg(allow_negative_numbers = true, value_parser = super::args::whole)]
    worker: u32,
    #[command(flatten)]
    target: Target,
}

impl Worker {
    /// Does it.
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Worker::List(list) => list.run(),
            Worker::Release(release) => release.run(),
            Worker::Import(import) => import.run(),
        }
    }
}

impl List {
    fn run(self) -> Result<(), Failure> {
        let name = namespace(&self.namespace)?;
        let client = self.target.connect()?;
        let rows = client.list(&path::workers(name), "workers", "worker");
        client.close();
        let rows = rows?;
        if is_json() {
            return say(json!({ "namespace": self.namespace, "workers": rows }));
        }
        say(format_args!("{:>12} {:<6} {:<24}  owner", "worker", "held", "reserved until"))?;
        for run in runs(&rows) {
            let (Some(row), Some(last)) = (run.first(), run.last()) else { continue };
            let numbers = match (row["worker"].as_u64(), last["worker"].as_u64()) {
                (Some(first), Some(last)) if first < last => format!("{first}..{}", last + 1),
                _ => row["worker"].to_string(),
            };
            say(format_args!(
                "{numbers:>12} {:<6} {:<24}  {}{}",
                if row["held"] == true { "yes" } else { "no" },
                reserved_until(row),
                row["owner"].as_str().unwrap_or("?"),
                if row["sticky"] == true { " (keeps it)" } else { "" }
            ))?;
        }
        Ok(())
    }
}

impl Release {
    fn run(self) -> Result<(), Failure> {
        let name = namespace(&self.namespace)?;
        let client = self.target.connect()?;
        let released = release(&client, &name, self.worker);
        client.close();
        let row = released?;
        let worker = self.worker;
        let value = row.clone().unwrap_or_else(|| json!({ "worker": worker }));
        let line = match row {
            Some(row) => format!(
                "worker {worker} of namespace `{name}` is released: nobody holds or keeps it now; its \
                 last window ends at {}, and after that anybody may get it",
                reserved_until(&row)
            ),
            None => format!("worker {worker} of namespace `{name}` was never handed out"),
        };
        show(value, line)
    }
}

/// Numbers that follow each other, which nobody holds or keeps and whose lines are the same, are a run:
/// those that were set aside for Leafs that may start are hundreds.
fn runs(rows: &[Value]) -> impl Iterator<Item = &[Value]> {
    let number = |row: &Value| row["worker"].as_u64();
    rows.chunk_by(move |row, next| {
        let shown = ["held", "reserved_until_ms", "owner", "sticky"];
        let is_nobodys = row["held"] == false && row["owner"] == "";
        let follows = number(row).map(|number| number + 1) == number(next);
        is_nobodys && follows && shown.iter().all(|field| row[field] == next[field])
    })
}

/// Releases it; its row, if it was ever handed out.
fn release(client: &Client, name: &Name, worker: u32) -> Result<Option<Value>, Problem> {
    client.call("POST", &path::revoke(name, worker), Some("{}".to_owned()), false)?;
    let after = worker.checked_sub(1).map_or_else(String::new, |before| before.to_string());
    let page = format!("{}?limit=1&after={after}", path::workers(name));
    let mut rows = client.call("GET", &page, None, false)?["workers"].take();
    let rows = rows.as_array_mut().map(std::mem::take).unwrap_or_default();
    Ok(rows.into_iter().find(|row| row["worker"] == worker))
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
