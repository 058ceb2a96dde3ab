//! The core of leafid.
#![no_std]
#![forbid(unsafe_code)]
