//! A turn of one request, for a host that runs the texts with a driver of its own.
//!
//! The host asks what is to be read ([`Alone::reads`]) and gives the rows ([`Alone::learn`]) until nothing
//! more is wanted, carries out [`Alone::steps`] in one transaction, and answers ([`Alone::answer`]) when
//! that is durable. A step that does not find what it has to find undoes the transaction, and the request
//! is decided again in a turn of its own.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use leafid_core::{FieldReader as _, StoreTime, Token};

use crate::cache::Cache;
use crate::problem::Problem;
use crate::rows::TurnRows;
use crate::sql::columns::{Columns, Source};
use crate::sql::gaps::gaps;
use crate::sql::{Query, Step, Texts, answered, unreadable};
use crate::stop::Stop;
use crate::want::{Answer, Want};

/// How often a request may want more.
const READINGS: usize = 64;

/// How a request is decided on the rows at hand.
pub type Decide<T> = Box<dyn Fn(&mut TurnRows) -> Result<T, Stop> + Send + Sync>;

/// One request in a turn of its own.
pub struct Alone<T> {
    texts: Texts,
    rows: TurnRows,
    decide: Decide<T>,
    reading: Vec<Reading>,
    readings: usize,
    answer: Option<Result<T, Problem>>,
}

/// A want that is being read. Numbers without rows may take several readings.
struct Reading {
    want: Want,
    next: Want,
    unused: Vec<u64>,
}

impl<T> Alone<T> {
    /// Begins a turn at the store's time.
    pub fn new(texts: Texts, store: Token, now: StoreTime, decide: Decide<T>) -> Alone<T> {
        let rows = TurnRows::new(store, StoreTime::new(0), false, now, Cache::default());
        let mut alone =
            Alone { texts, rows, decide, reading: Vec::new(), readings: 0, answer: None };
        alone.decide();
        alone
    }

    /// What is to be read; nothing once the request is decided.
    pub fn reads(&self) -> Vec<Query> {
        self.reading.iter().map(|reading| self.texts.query(&reading.next)).collect()
    }

    /// Takes in the rows of each reading, in their order.
    pub fn learn<S: Source>(&mut self, found: &[Vec<S>]) {
        let mut again = Vec::new();
        let (mut wants, mut answers) = (Vec::new(), Vec::new());
        for (mut reading, rows) in core::mem::take(&mut self.reading).into_iter().zip(found) {
            let asked = self.texts.query(&reading.next);
            let answer = match reading.next {
                Want::Unused { .. } => unused(&mut reading, &asked, rows),
                want => Some(answered(&want, &asked, rows)),
            };
            match answer {
                Some(answer) => {
                    wants.push(reading.want);
                    answers.push(answer);
                }
                None => again.push(reading),
            }
        }
        self.rows.learn(wants, answers);
        self.readings += 1;
        if self.readings > READINGS {
            let lost = Problem::unavailable("the store does not find what it looks for");
            self.answer = Some(Err(lost));
        } else if again.is_empty() {
            self.decide();
        } else {
            self.reading = again;
        }
    }

    /// What is to be written, in this order: also where the answer is a refusal.
    pub fn steps(&self) -> Vec<Step> {
        let groups = self.rows.groups().groups;
        groups.iter().flatten().flat_map(|write| self.texts.steps(write)).collect()
    }

    /// The answer, to be given when the steps are durable.
    ///
    /// # Errors
    /// Why the request is refused.
    pub fn answer(self) -> Result<T, Problem> {
        let undecided = || Err(Problem::unavailable("the request was not decided"));
        self.answer.unwrap_or_else(undecided)
    }

    fn decide(&mut self) {
        self.answer = match (self.decide)(&mut self.rows) {
            Ok(answer) => Some(Ok(answer)),
            Err(Stop::Refused(problem)) => Some(Err(problem)),
            Err(Stop::Wanting | Stop::Later) => None,
        };
        if self.answer.is_none() {
            let wants = self.rows.take_wants().into_iter();
            let reading = |want| Reading { want, next: want, unused: Vec::new() };
            self.reading = wants.map(reading).collect();
        }
    }
}

/// Numbers without rows: SQLite's text gives one, the others give numbers that have rows. None while more
/// is to be read.
fn unused<S: Source>(reading: &mut Reading, asked: &Query, rows: &[S]) -> Option<Answer> {
    let Want::Unused { namespace, mut from, end, .. } = reading.next else { return None };
    let number = |row: &S, column| Columns::of(row).big(column).ok().flatten();
    if let Some(unused) = rows.first().and_then(|row| number(row, "unused")) {
        return Some(Answer::Unused(vec![unused]));
    }
    let used: Option<Vec<u64>> = rows.iter().map(|row| number(row, "worker")).collect();
    let Some(used) = used else {
        return Some(Answer::Unreadable(unreadable(asked, "`worker` is no number")));
    };
    if !gaps(&used, &mut from, end, 1, &mut reading.unused) {
        reading.next = Want::Unused { namespace, from, end, count: 1 };
        return None;
    }
    Some(Answer::Unused(core::mem::take(&mut reading.unused)))
}
