//! Public forms of IDs, which tell outsiders nothing.
//!
//! A number such as `1001` tells how many orders there were, and lets anybody ask for `1002`; a
//! snowflake tells when it was made. [`Scrambler`] turns each into another number of 63 bits and
//! back again, under a key, and writes it as a short text: `order_7Xk2mPq9RtB`. It is a permutation
//! (FF1 of NIST SP 800-38G with AES, over 63 bits, the tag as its tweak), so nothing is stored and
//! no two IDs become the same. The database keeps the number; the text is made where it leaves.
//!
//! What it is not: a permission. Every text of the right form is *some* ID, so what was asked for
//! is looked up and its reader checked, as ever. There is no check digit either: a typo becomes
//! another number of 63 bits, which practically never is one of yours.
//!
//! ```
//! use leafid_public::Scrambler;
//! let key = [7; 16];
//! let orders = Scrambler::new(&key, "orders")?.with_prefix("order")?;
//! let text = orders.encode(1001).unwrap();
//! assert_eq!(text.len(), "order_".len() + 11);
//! assert_eq!(orders.decode(&text), Ok(1001));
//! # Ok::<(), leafid_public::Problem>(())
//! ```
#![no_std]
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::unreachable
    )
)]

extern crate alloc;

mod alphabet;
mod ff1;
mod problem;
mod scrambler;

pub use alphabet::Alphabet;
pub use problem::Problem;
pub use scrambler::Scrambler;
