//! Six hundred holders of the installed Python package that start at once, beside leases of a tag:
//! in a namespace where ten numbers were used, and in one where all 65,536 were.

use std::path::Path;
use std::process::Command;

use leafid_benches::{Outcome, median};
use leafid_stream::store::Store;
use serde_json::Value;

use crate::windows::{self, namespace};

const ROWS: [u32; 2] = [10, 65_536];
const ROUNDS: usize = 5;
const TAG: &str = "beside";

/// Median and last first ID of a round, in seconds.
type Waits = (f64, f64);

pub fn run(binary: &Path, python: &Path) -> Outcome {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let store = Store::start(binary, folder.path())?;
    store.operate(&["tag", "create", TAG])?;
    for rows in ROWS {
        windows::fill(&store, rows, 65_536)?;
    }
    let mut waits = ROWS.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        for (rows, waits) in ROWS.iter().zip(&mut waits) {
            waits.push(round(&store, python, *rows)?);
        }
    }
    println!("\n| 600 holders that start at once, in 6 processes | median s | last s |");
    println!("|---|---|---|");
    for (rows, waits) in ROWS.iter().zip(waits) {
        let (medians, lasts) = waits.into_iter().unzip();
        let (median, last) = (median(medians), median(lasts));
        println!("| {rows} of 65536 numbers have a row | {median:.2} | {last:.2} |");
    }
    Ok(())
}

fn round(store: &Store, python: &Path, rows: u32) -> Outcome<Waits> {
    let said = Command::new(python)
        .args(["benches/holders.py", &namespace(rows), TAG])
        .env("LEAFID_STORE", store.url())
        .env_remove("PYTHONPATH")
        .output()
        .map_err(|error| format!("`{}`: {error}", python.display()))?;
    let failed = || format!("holders.py: {}", String::from_utf8_lossy(&said.stderr));
    if !said.status.success() {
        return Err(failed());
    }
    let value: Value = serde_json::from_slice(&said.stdout).map_err(|_| failed())?;
    let of = |name: &str| value[name].as_f64().ok_or_else(failed);
    println!("{rows} rows: {value}");
    Ok((of("median")?, of("last")?))
}
