//! Parts of a job: run one after another, timed, all collected, and told at the end.

use std::time::{Duration, Instant};

use crate::Outcome;

/// The parts of one job, as far as they ran.
#[derive(Default)]
pub struct Summary {
    parts: Vec<Part>,
}

struct Part {
    name: String,
    took: Duration,
    result: Outcome<String>,
}

impl Summary {
    /// Runs one part and shows its name above its output. What it gives back is its closing line.
    pub fn part(&mut self, name: &str, job: impl FnOnce() -> Outcome<String>) -> bool {
        println!("\n== {name}");
        let begin = Instant::now();
        let result = job();
        let took = begin.elapsed();
        match &result {
            Ok(line) => println!("-- {name}: {line} ({})", seconds(took)),
            Err(error) => println!("-- {name} FAILED ({})\n{error}", seconds(took)),
        }
        let fine = result.is_ok();
        self.parts.push(Part { name: name.to_owned(), took, result });
        fine
    }

    /// Tells every part's seconds and closing line; an error names the parts that failed.
    pub fn close(self, job: &str) -> Outcome {
        println!("\n{job}:");
        let width = self.parts.iter().map(|part| part.name.len()).max().unwrap_or(0);
        for Part { name, took, result } in &self.parts {
            let (mark, line) = match result {
                Ok(line) => ("ok  ", line.as_str()),
                Err(error) => ("FAIL", error.lines().next().unwrap_or("")),
            };
            println!("  {mark} {name:width$} {:>8}  {line}", seconds(*took));
        }
        let total = self.parts.iter().map(|part| part.took).sum();
        let failed: Vec<_> =
            self.parts.iter().filter(|part| part.result.is_err()).map(|part| &*part.name).collect();
        if failed.is_empty() {
            println!("  {job}: all {} parts are fine, {}", self.parts.len(), seconds(total));
            return Ok(());
        }
        let count = format!("{} of {} parts", failed.len(), self.parts.len());
        Err(format!("{job}: {count} failed after {}: {}", seconds(total), failed.join(", ")))
    }
}

fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}
