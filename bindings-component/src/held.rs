//! A generator that a host holds, and what it asked last.

use std::cell::{Cell, RefCell};

use leafid_bindings::AnyGenerator;
use leafid_core::{HostTime, Token};

use crate::host;

/// The ask that was handed out last, and when it was first.
#[derive(Default)]
pub struct Sent(Cell<Option<(Token, HostTime)>>);

impl Sent {
    /// Notes an ask, and when it was handed out first.
    pub fn note(&self, request: Token, now: HostTime) {
        if self.0.get().is_none_or(|(before, _)| before != request) {
            self.0.set(Some((request, now)));
        }
    }

    /// Its request.
    pub fn last(&self) -> Option<Token> {
        self.0.get().map(|(request, _)| request)
    }

    /// When this ask left; an answer to no ask that is known is looked at by nobody.
    pub fn when(&self, request: Token, now: HostTime) -> HostTime {
        self.0.get().filter(|(before, _)| *before == request).map_or(now, |(_, sent)| sent)
    }
}

/// A generator of the host's. It is borrowed for as long as the core works on it and never while an
/// import runs: who comes back from there finds it free.
pub struct Held {
    generator: RefCell<AnyGenerator>,
    pub sent: Sent,
}

impl Held {
    /// Holds it.
    pub fn new(generator: AnyGenerator) -> Self {
        Self { generator: generator.into(), sent: Sent::default() }
    }

    /// Works on the generator. No import may be called here: who comes back finds it taken, which
    /// would be a mistake of this crate and is a trap.
    pub fn with<T>(&self, act: impl FnOnce(&mut AnyGenerator) -> T) -> T {
        match self.generator.try_borrow_mut() {
            Ok(mut generator) => act(&mut generator),
            // `borrow_mut` says why, at a kilobyte of formatting that nobody would see.
            Err(_) => core::arch::wasm32::unreachable(),
        }
    }

    /// Does it at the time of now, which is read first.
    pub fn at_now<T>(&self, act: impl FnOnce(&mut AnyGenerator, HostTime) -> T) -> T {
        let now = host::now();
        self.with(|generator| act(generator, now))
    }
}
