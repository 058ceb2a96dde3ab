//! Runs worlds one after another, until the time is over or a violation is found.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::args::Options;
use crate::tally::Tally;
use crate::verdict::{Check, Verdict, Violation};
use crate::world::World;

/// Runs one world; a panic counts as a violation.
pub fn world(seed: u64, trace: bool) -> (Verdict, Tally) {
    let mut world = World::new(seed, trace);
    let verdict = match catch_unwind(AssertUnwindSafe(|| world.run())) {
        Ok(verdict) => verdict,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or(panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(Violation { check: Check::Panic, detail: text.unwrap_or_default() })
        }
    };
    (verdict, world.tally)
}

pub fn simulate(options: &Options, first: u64) -> Result<String, String> {
    let alone = options.seed.is_some() && options.worlds.is_none();
    let most = if alone { 1 } else { options.worlds.unwrap_or(u64::MAX) };
    let limit = match options.worlds {
        Some(_) => Duration::MAX,
        None => Duration::from_secs_f64(options.seconds),
    };
    println!("simulate: worlds from seed {first} on");
    let began = Instant::now();
    let mut shown = began;
    let mut total = Tally::default();
    let mut seed = first;
    while total.worlds < most && (began.elapsed() < limit || total.worlds == 0) {
        let (verdict, tally) = world(seed, alone);
        total.add(&tally);
        verdict.map_err(|violation| {
            format!(
                "simulate: seed {seed}: {violation}\nreplay: cargo xtask simulate --seed {seed}"
            )
        })?;
        if shown.elapsed() > Duration::from_secs(10) {
            shown = Instant::now();
            println!("{}", line(&total, began.elapsed()));
        }
        seed = seed.wrapping_add(1);
    }
    for (name, count, _) in total.rows() {
        println!("  {name:20} {count}");
    }
    let short = total.out_of_bounds();
    if !short.is_empty() {
        return Err(format!("simulate: too little happened, or too much: {}", short.join("; ")));
    }
    Ok(format!("simulate: {}, nothing wrong", line(&total, began.elapsed())))
}

fn line(total: &Tally, took: Duration) -> String {
    let hours = total.simulated_ms as f64 / 3_600_000.0;
    format!(
        "{} worlds, {hours:.1} hours, {} IDs, {} grants, {:.0} s",
        total.worlds,
        total.ids,
        total.grants,
        took.as_secs_f64()
    )
}
