//! A row in a turn, and a supply of numbers that requests take from one after another.

use std::collections::VecDeque;

use crate::backends::Seen;

#[derive(Clone, Copy, Debug)]
pub struct Entry<T> {
    pub before: Option<Seen<T>>,
    pub row: Option<T>,
    /// Whether it was not read, but is as it was written last: whether it still is shows when
    /// something is written on condition of it.
    pub known: bool,
    pub touched: bool,
    /// Whether its change holds only together with others of its namespace.
    pub joined: bool,
}

impl<T: Copy + PartialEq> Entry<T> {
    pub fn read(before: Option<Seen<T>>) -> Entry<T> {
        Entry {
            before,
            row: before.map(|seen| seen.row),
            known: false,
            touched: false,
            joined: false,
        }
    }

    /// A row as it was written last.
    pub fn known(before: Seen<T>) -> Entry<T> {
        Entry { known: true, ..Entry::read(Some(before)) }
    }

    pub fn put(&mut self, row: T) {
        self.row = Some(row);
        self.touched = true;
    }

    /// Whether something is decided on it that nothing will show to be right.
    pub fn is_doubtful(&self) -> bool {
        self.known && !self.touched
    }

    /// The row that is to be written, if one is: also one that stays, as a condition.
    pub fn after(&self) -> Option<T> {
        let condition = self.known && self.touched;
        self.row.filter(|row| condition || self.before.is_none_or(|before| before.row != *row))
    }
}

#[derive(Debug)]
pub struct Supply<T> {
    pub left: VecDeque<T>,
    /// Whether the store has no more than these.
    pub all: bool,
}

impl<T: Copy> Supply<T> {
    /// The first that is still to be had, if one was found; nothing is known without one, unless
    /// these were all.
    pub fn first(&mut self, still: impl Fn(T) -> bool) -> Option<Option<T>> {
        while let Some(first) = self.left.front().copied() {
            if still(first) {
                return Some(Some(first));
            }
            self.left.pop_front();
        }
        self.all.then_some(None)
    }
}
