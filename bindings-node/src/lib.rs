//! A part of leafid.
