//! A back end that wraps another and loses races, loses answers, or ignores write conditions.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};

use leafid_core::StoreTime;
use leafid_store::backends::{Abilities, Answer, BackEnd, Facts, Group, Outcome, Want, Write};
use leafid_store::problem::Problem;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    Never,
    /// Another server wins the race for every third group.
    EveryThirdRace,
    EveryRace,
    /// Every third group is written, but its answer is lost.
    EveryThirdAnswer,
    /// The control: each group is written over the present rows, whatever rows it was decided on.
    Blind,
}

/// Counts what servers do, and can hold up their turns.
#[derive(Default)]
pub struct Counts {
    held: Mutex<bool>,
    let_go: Condvar,
    pub groups: AtomicUsize,
    /// How many groups met rows that had changed since they were read.
    pub conflicts: AtomicUsize,
    pub readings: AtomicUsize,
}

impl Counts {
    /// With `true`, every turn that begins waits until this is called with `false`.
    pub fn hold(&self, held: bool) {
        *self.held.lock().expect("nobody panicked") = held;
        self.let_go.notify_all();
    }
}

pub struct Troubled<B> {
    back_end: B,
    facts: Facts,
    trouble: Trouble,
    counts: Arc<Counts>,
    written: usize,
}

impl<B: BackEnd> Troubled<B> {
    /// Hides what depends on the back end, so that all are troubled alike.
    pub fn over(back_end: B, trouble: Trouble, counts: &Arc<Counts>) -> Troubled<B> {
        let mut facts = back_end.facts().clone();
        let Abilities { at_once, wide, is_remote, .. } = facts.abilities;
        let at_once = if is_remote { at_once } else { 1_024 };
        facts.abilities = Abilities { at_once, wide, ..Abilities::LOCAL };
        Troubled { back_end, facts, trouble, counts: Arc::clone(counts), written: 0 }
    }

    async fn look_again(&mut self, write: &mut Write) -> Result<(), Problem> {
        let want = match write {
            Write::Same(name, _) | Write::Namespace { namespace: name, .. } => {
                Want::Namespace(*name)
            }
            Write::Tag { tag, .. } => Want::Tag(*tag),
            Write::Worker(write) => Want::Worker(write.namespace, write.worker),
            Write::Fence { .. } | Write::Server(_) | Write::Beat(_) => return Ok(()),
        };
        let found = self.back_end.read(&[want]).await?.pop();
        match (write, found) {
            (Write::Same(_, before), Some(Answer::Namespace(Some(now)))) => *before = now,
            (Write::Namespace { before, .. }, Some(Answer::Namespace(now))) => *before = now,
            (Write::Tag { before, .. }, Some(Answer::Tag(now))) => *before = now,
            (Write::Worker(write), Some(Answer::Workers(now))) => {
                write.before = now.first().map(|(_, seen)| *seen);
            }
            _ => {}
        }
        Ok(())
    }
}

impl<B: BackEnd> BackEnd for Troubled<B> {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    async fn begin(&mut self) -> Result<(), Problem> {
        let held = self.counts.held.lock().expect("nobody panicked");
        drop(self.counts.let_go.wait_while(held, |held| *held).expect("nobody panicked"));
        self.back_end.begin().await
    }

    async fn read(&mut self, wants: &[Want]) -> Result<Vec<Answer>, Problem> {
        // Who else is there is always read.
        let of_rows = |want: &Want| !matches!(want, Want::Servers | Want::Fenced);
        self.counts.readings.fetch_add(usize::from(wants.iter().any(of_rows)), SeqCst);
        self.back_end.read(wants).await
    }

    async fn write(&mut self, groups: &[Group]) -> Result<Vec<Outcome>, Problem> {
        let (mut sent, mut beaten, mut unheard) = (Vec::new(), Vec::new(), Vec::new());
        for group in groups {
            self.written += 1;
            let third = self.written.is_multiple_of(3);
            let is_beaten = match self.trouble {
                Trouble::EveryThirdRace => third,
                Trouble::EveryRace => true,
                _ => false,
            };
            beaten.push(is_beaten);
            unheard.push(third && self.trouble == Trouble::EveryThirdAnswer);
            sent.extend((!is_beaten).then(|| group.clone()));
        }
        if self.trouble == Trouble::Blind {
            for write in sent.iter_mut().flatten() {
                self.look_again(write).await?;
            }
        }
        let mut outcomes = self.back_end.write(&sent).await?.into_iter();
        let ended = beaten.into_iter().zip(unheard).map(|(beaten, unheard)| {
            match if beaten { Outcome::Conflict } else { outcomes.next().expect("one of each") } {
                Outcome::Done(_) if unheard => {
                    Outcome::Failed(Problem::unavailable("the connection broke".to_owned()))
                }
                outcome => outcome,
            }
        });
        let outcomes: Vec<Outcome> = ended.collect();
        let conflicts = outcomes.iter().filter(|outcome| **outcome == Outcome::Conflict).count();
        self.counts.groups.fetch_add(groups.len(), SeqCst);
        self.counts.conflicts.fetch_add(conflicts, SeqCst);
        Ok(outcomes)
    }

    fn told(&mut self) -> Option<StoreTime> {
        self.back_end.told()
    }
}
