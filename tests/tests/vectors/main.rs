//! The vectors, replayed by Rust through the core's public verbs.
//!
//! Every file is replayed to its end, also when another one fails, and prints its count:
//! `vectors: rust <file> <scripts>`. A file with a difference prints the script, the step, the
//! expected and the actual result, and no count.

mod compare;
mod forms;
mod generators;
mod json;
mod memory;
mod public;
mod stores;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use leafid_store::backends::opening::Options;
use leafid_store::opening::open_sqlite;
use serde_json::Value;
use tokio::runtime::Builder;

use crate::compare::run;

fn main() -> ExitCode {
    let folder = std::env::var_os("LEAFID_VECTORS").map_or_else(own_folder, PathBuf::from);
    let mut wrong = 0;
    let mut files = files(&folder);
    files.extend(self::files(&folder.join("partial")));
    // The decisions of a store, which the stores of `registry` call here.
    files.retain(|path| !path.ends_with("rows.json"));
    for path in &files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        match replay_file(path) {
            Ok(count) => println!("vectors: rust {name} {count}"),
            Err(complaints) => {
                wrong += 1;
                complaints.iter().for_each(|complaint| eprintln!("{name}: {complaint}"));
            }
        }
    }
    if files.is_empty() {
        eprintln!("no vectors in `{}`", folder.display());
    }
    if wrong == 0 && !files.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn own_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let found = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> =
        found.filter(|path| path.extension().is_some_and(|kind| kind == "json")).collect();
    files.sort();
    files
}

fn replay_file(path: &Path) -> Result<usize, Vec<String>> {
    let text = std::fs::read_to_string(path).map_err(|error| vec![error.to_string()])?;
    let file: Value = serde_json::from_str(&text).map_err(|error| vec![error.to_string()])?;
    let scripts = file["scripts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let complaints: Vec<_> = scripts.iter().filter_map(|script| replay(script).err()).collect();
    if complaints.is_empty() { Ok(scripts.len()) } else { Err(complaints) }
}

/// Replays a script on every subject of its kind: a generator on both lines, both stores.
fn replay(script: &Value) -> Result<(), String> {
    let name = script["name"].as_str().unwrap_or("a script without a name");
    let result = match script["kind"].as_str().unwrap_or_default() {
        "layouts" | "text" | "errors" => run(script, forms::take),
        "segment" => generators::replay_segment(script),
        "snowflake" => generators::replay_snowflake(script),
        "public" => public::replay(script),
        "store" => replay_stores(script),
        other => Err(format!("there is no kind `{other}`")),
    };
    result.map_err(|complaint| format!("`{name}`, {complaint}"))
}

fn replay_stores(script: &Value) -> Result<(), String> {
    let runtime = Builder::new_current_thread().build().map_err(|error| error.to_string())?;
    stores::replay(script, &runtime, |folder, id, clock| {
        let options = Options { create: true, id: Some(id), ..Options::default() };
        open_sqlite(&folder.join("store.db"), clock, &options).expect("the store opens").into()
    })?;
    memory::replay(script)
}
