//! Writes the results of verbs as objects.

use leafid_core::registry::Acquired;
use leafid_core::{Ask, Carryover, Layout, Outcome, Parts, Release, Stance, Stats};
use leafid_wire::{FieldWriter, Fields, advice, http_status, put_ask, put_stats};

use crate::codes::Facts;
use crate::layouts::{Id, Known};
use crate::object::{Object, Writing};
use crate::registry::{Leased, Row, put_acquired};
use crate::source::Wrong;

/// A result that can be written into an object.
pub trait Answer {
    /// Writes its fields.
    fn put<O: Object>(&self, to: &mut Writing<O>);
}

/// Writes a verb's result, or its refusal as `{ code, until?, field?, of? }`, into `to`, which has no
/// fields yet.
pub fn answer<O: Object>(to: O, given: Result<impl Answer, Wrong>) -> O {
    let mut to = Writing(to);
    match given {
        Ok(value) => value.put(&mut to),
        Err(wrong) => wrong.put(&mut to),
    }
    to.0
}

impl Answer for Wrong {
    fn put<O: Object>(&self, to: &mut Writing<O>) {
        to.text("code", self.refusal.code.as_str());
        if let Some(until) = self.refusal.until {
            to.moment("until", until.get());
        }
        if !self.field.is_empty() {
            to.text("field", self.field);
            to.text("of", self.of);
        }
    }
}

macro_rules! written {
    ($($name:ty: $put:path),+) => {$(
        impl Answer for $name {
            fn put<O: Object>(&self, to: &mut Writing<O>) {
                $put(self, to);
            }
        }
    )+};
}
written!(
    Release: Fields::put, Carryover: Fields::put, Layout: Fields::put,
    Ask: put_ask, Stats: put_stats, Acquired: put_acquired
);

/// `{ outcome, release? }`.
impl Answer for Outcome {
    fn put<O: Object>(&self, to: &mut Writing<O>) {
        let outcome = match self {
            Outcome::Applied => "applied",
            Outcome::Ignored => "ignored",
            Outcome::Release(_) => "release",
        };
        to.text("outcome", outcome);
        if let Outcome::Release(release) = self {
            to.nested("release", |to| Fields::put(release, to));
        }
    }
}

/// `{ code }` to raise, or `{ until? }` to wait.
impl Answer for Stance {
    fn put<O: Object>(&self, to: &mut Writing<O>) {
        match self {
            Stance::Raise(code) => to.text("code", code.as_str()),
            Stance::Wait(until) => {
                if let Some(until) = until {
                    to.moment("until", until.get());
                }
            }
        }
    }
}

/// `{ row, grant }`, or `{ row, refused: { code } }`.
impl<R: Fields, G: Fields> Answer for Leased<R, G> {
    fn put<O: Object>(&self, to: &mut Writing<O>) {
        to.nested("row", |to| self.row.put(to));
        match &self.answer {
            Ok(grant) => to.nested("grant", |to| grant.put(to)),
            Err(refusal) => to.nested("refused", |to| to.text("code", refusal.code.as_str())),
        }
    }
}

impl<R: Fields> Answer for Row<R> {
    fn put<O: Object>(&self, to: &mut Writing<O>) {
        to.nested("row", |to| self.0.put(to));
    }
}

impl Answer for Id {
    fn put<O: Object>(&self, to: &mut Writing<O>) {
        to.big("id", self.0);
    }
}

impl Answer for Parts {
    fn put<O: Object>(&self, to: &mut Writing<O>) {
        to.moment("time_ms", self.time.get());
        to.big("tick", self.tick);
        to.number("worker", self.worker.into());
        to.big("sequence", self.sequence);
    }
}

impl Answer for Known {
    fn put<O: Object>(&self, to: &mut Writing<O>) {
        Fields::put(&self.0, to);
        to.moment("last_ms", self.0.last().get());
        to.big("per_second", self.0.per_second());
        to.big("workers", self.0.workers());
    }
}

impl Answer for Facts {
    fn put<O: Object>(&self, to: &mut Writing<O>) {
        if let Some(status) = http_status(self.0) {
            to.number("http", status.into());
        }
        to.flag("permanent", self.0.is_permanent());
        to.flag("stops", self.0.stops());
        to.text("advice", advice(self.0));
    }
}
