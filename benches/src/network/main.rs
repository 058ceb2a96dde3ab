//! What the central store costs and stands on a network: `leafid serve` on one core, whoever asks it
//! on the other.
//!
//! `network PATH-TO-LEAFID`; `cargo xtask bench --only network` runs it with the published binary.

#[path = "../store/cpu.rs"]
mod cpu;
mod crowd;
mod guarded;
mod load;
mod overload;
#[path = "../store/round.rs"]
mod round;
mod servers;
mod stream;

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use round::Round;

/// Rounds, in turns; one more goes before them and is not counted.
const ROUNDS: usize = 5;
/// How long one is.
const LENGTH: Duration = Duration::from_secs(2);

type Outcome<T = ()> = Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [binary] => run(Path::new(binary), &["guarded", "crowd", "overload"]),
        [binary, part] => run(Path::new(binary), &[part]),
        _ => Err("`network PATH-TO-LEAFID [guarded|crowd|overload]`".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("network: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(binary: &Path, parts: &[&str]) -> Outcome {
    servers::allow_descriptors();
    println!("{}", load::of_the_machine());
    for part in parts {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        match *part {
            "guarded" => guarded::run(binary, folder.path())?,
            "crowd" => crowd::run(binary, folder.path())?,
            "overload" => overload::run(binary, folder.path())?,
            other => return Err(format!("`{other}` is no part of this bench")),
        }
    }
    Ok(())
}

/// The median of what each round has.
fn of(rounds: &[Round], field: fn(&Round) -> f64) -> f64 {
    round::median(rounds.iter().map(field).collect())
}

/// The median of the rounds' own ratios.
fn ratio(own: &[Round], floor: &[Round], field: fn(&Round) -> f64) -> f64 {
    round::median(own.iter().zip(floor).map(|(own, floor)| field(own) / field(floor)).collect())
}
