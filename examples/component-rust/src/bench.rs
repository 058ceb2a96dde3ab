//! What a call costs, beside one of the same component that only counts.

use std::path::Path;
use std::time::Instant;

use wasmtime::component::ResourceAny;

use crate::Outcome;
use crate::bindings::exports::leafid::generator::generators::SegmentConfig;
use crate::host::Instance;
use crate::tag;

const ROUNDS: usize = 9;
const CALLS: u32 = 20_000;
const AT_ONCE: u32 = 1_000;

/// Prints nanoseconds per ID, the best of some rounds that take turns.
pub fn compare(real: &Path, counting: &Path, url: &str) -> Outcome {
    let (mut real, mut counting) = (Drawn::from(real, url)?, Drawn::from(counting, url)?);
    let mut best = [f64::MAX; 4];
    for _ in 0..ROUNDS {
        let round = [real.next()?, counting.next()?, real.fill()?, counting.fill()?];
        for (best, cost) in best.iter_mut().zip(round) {
            *best = best.min(cost);
        }
    }
    let [next, counted, fill, filled] = best;
    println!("next: {next:.0} ns, counted: {counted:.0} ns, {:.2}", next / counted);
    println!("fill({AT_ONCE}): {fill:.2} ns per ID, counted: {filled:.2} ns");
    if next > 1.5 * counted || fill > 2.5 {
        return Err("a draw costs more than 1.5 calls that count, or 2.5 ns an ID".into());
    }
    Ok(())
}

struct Drawn {
    leafid: Instance,
    generator: ResourceAny,
}

impl Drawn {
    /// A generator whose ranges last for a round.
    fn from(path: &Path, url: &str) -> Outcome<Self> {
        let mut leafid = Instance::new(path, url)?;
        let config = SegmentConfig { step: Some(1_000_000), ..tag("orders") };
        let generator = leafid.segment(&config)?;
        leafid.refill(generator)?.map_err(|refusal| format!("{:?}", refusal.code))?;
        Ok(Self { leafid, generator })
    }

    fn next(&mut self) -> Outcome<f64> {
        let started = Instant::now();
        for _ in 0..CALLS {
            self.leafid.next(self.generator)?.map_err(|refusal| format!("{:?}", refusal.code))?;
        }
        self.refilled(started, CALLS)
    }

    fn fill(&mut self) -> Outcome<f64> {
        let started = Instant::now();
        for _ in 0..CALLS / 100 {
            let filled = self.leafid.fill(self.generator, AT_ONCE)?;
            filled.map_err(|refusal| format!("{:?}", refusal.code))?;
        }
        self.refilled(started, CALLS / 100 * AT_ONCE)
    }

    /// Nanoseconds per ID of what was drawn since; then there is more to draw.
    fn refilled(&mut self, started: Instant, ids: u32) -> Outcome<f64> {
        let cost = started.elapsed().as_nanos() as f64 / f64::from(ids);
        self.leafid.refill(self.generator)?.map_err(|refusal| format!("{:?}", refusal.code))?;
        Ok(cost)
    }
}
