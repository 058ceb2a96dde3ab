//! An empty library: this package has only tests.
