//! The proof that the core takes no memory from the heap: its verbs, under an allocator that
//! counts. The last line is the verdict.

mod counter;
mod drive;

use std::process::ExitCode;

use crate::counter::Counting;

/// Calls of the core below which the run proves nothing.
const FLOOR: u64 = 10_000;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> ExitCode {
    let before = counter::allocations();
    let driven = drive::everything();
    if cfg!(feature = "control-alloc") {
        std::hint::black_box(Box::new(before));
    }
    let taken = counter::allocations() - before;
    match driven {
        Ok(calls) => {
            println!("{taken} allocations in {calls} calls of the core");
            if taken == 0 && calls >= FLOOR { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(refusal) => {
            println!("the core refused where it must not: {refusal}");
            ExitCode::FAILURE
        }
    }
}
