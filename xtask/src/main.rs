//! A part of leafid.

fn main() {}
