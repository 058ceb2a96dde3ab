//! `leafid server …`

use clap::Subcommand;
use leafid_wire::path;
use serde_json::{Value, json};

use super::Failure;
use super::client::Target;
use super::output::show;

#[derive(Debug, Subcommand)]
pub enum Server {
    /// Lists the servers of the store, and for whom each of them waits
    List(Target),
    /// Removes a server that does not run and never comes back, so that the others no longer wait for it
    Remove {
        /// Its name, or its id (at least 8 letters of it)
        server: String,
        #[command(flatten)]
        target: Target,
    },
}

impl Server {
    pub fn run(self) -> Result<(), Failure> {
        match self {
            Server::List(target) => {
                let answer = target.connect()?.get(path::SERVERS)?;
                show(&answer, table(answer["servers"].as_array().map_or(&[], Vec::as_slice)))
            }
            Server::Remove { server, target } => {
                target.connect()?.call("DELETE", &path::server(&server), String::new())?;
                let done = json!({ "server": server, "removed": true });
                show(&done, format_args!("server `{server}` removed: nobody waits for it any more"))
            }
        }
    }
}

fn table(rows: &[Value]) -> String {
    let text = |row: &Value, field: &str| row[field].as_str().unwrap_or("?").to_owned();
    let mut all = format!(
        "{:<24} {:<32} {:<7} {:<8} {:<20} waits for",
        "name", "id", "kind", "state", "beat"
    );
    for row in rows {
        let [name, id, kind, state, beat] =
            ["name", "id", "kind", "state", "beat"].map(|field| text(row, field));
        let waits = row["waits_for"].as_array().into_iter().flatten();
        let waits: Vec<String> = waits.map(|other| text(other, "name")).collect();
        let waits = if waits.is_empty() { "nobody".to_owned() } else { waits.join(", ") };
        all.push_str(&format!("\n{name:<24} {id} {kind:<7} {state:<8} {beat:<20} {waits}"));
    }
    all
}
