//! Statics of a program that has one thread.

/// A value for a program that has only one thread.
pub struct Alone<T>(pub T);

#[cfg(target_feature = "atomics")]
compile_error!("with threads, what is `Alone` would be shared");

#[expect(unsafe_code, reason = "without threads nothing is shared")]
// SAFETY: the file is built without threads, and a worker of JavaScript has an instance of its own.
unsafe impl<T> Sync for Alone<T> {}
