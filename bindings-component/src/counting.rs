//! What a draw costs that only counts: the control of the benchmark (feature `counting`). It crosses
//! the same border with the same types, and asks neither the clock nor a generator.

use std::cell::Cell;

thread_local! {
    static COUNTED: Cell<u64> = const { Cell::new(0) };
}

/// The next number.
pub fn next() -> u64 {
    COUNTED.replace(COUNTED.get() + 1)
}

/// The next `n` numbers.
pub fn fill(n: u32) -> Vec<u64> {
    let first = COUNTED.get();
    COUNTED.set(first + u64::from(n));
    (first..first + u64::from(n)).collect()
}
