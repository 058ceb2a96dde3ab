//! The record of a server in its turns: what it wrote, until the others have noted it.

use leafid_core::HostTime;
use leafid_turn::groups::{Groups, Scope};
use leafid_turn::register::{Beat, Line, Server};

use super::{Guard, change, is_done, synced};
use crate::backends::{BackEnd, Group, Outcome};
use crate::fence::bounds::{Note, longest_ms};
use crate::problem::Problem;

/// A write of the own record in a turn.
#[derive(Debug)]
pub struct Signed {
    /// Its beat.
    pub beat: Beat,
    place: usize,
    notes: Vec<Note>,
    boot: HostTime,
}

impl Guard {
    /// Whether these bounds are no news.
    pub fn knows(&self, lines: &[Line]) -> bool {
        lines.iter().all(|line| self.bounds.knows(line))
    }

    /// PROTOCOL R20: adds this server's record to the groups of a turn. `None` if there is nobody to tell.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if the register cannot be read.
    pub async fn sign<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        groups: &mut Groups,
        all: Vec<Line>,
        boot: HostTime,
    ) -> Result<Option<Signed>, Problem> {
        if self.me.is_none() {
            let (servers, fenced) = Self::register(back_end).await?;
            self.others = servers;
            self.learn_fence(&fenced);
            if self.is_alone() {
                return Ok(None);
            }
        }
        let longest = groups.groups.iter().map(longest_ms).max().unwrap_or(0);
        let beat = self.me.as_ref().map_or(self.life, |me| me.beat).next();
        let mut after = self.next(beat);
        if self.members().next().is_some() {
            after.record.waits = Some(beat);
            after.record.announce(all.iter().copied());
        }
        let place = groups.groups.len();
        groups.push(Scope::Server, vec![change(self.me.clone(), Some(after.clone()))]);
        let mut notes: Vec<Note> = all.into_iter().map(Note::Line).collect();
        notes.extend([Note::Longest(longest), Note::Beat(beat)]);
        self.maybe = Some(after);
        Ok(Some(Signed { beat, place, notes, boot }))
    }

    /// Takes in how the write of the own record ended, and notes its bounds: after the write, so that the store
    /// is never behind the journal where a server is killed; tells whether the record was as it was left.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if the journal cannot be written.
    pub async fn signed(&mut self, signed: Signed, outcomes: &[Outcome]) -> Result<bool, Problem> {
        let Signed { place, mut notes, boot, .. } = signed;
        let Some(Outcome::Done(revisions)) = outcomes.get(place) else {
            if let Some(Outcome::Conflict) = outcomes.get(place) {
                self.maybe = None;
            }
            self.looked = None;
            return Ok(false);
        };
        let revision = revisions.first().copied().unwrap_or(0);
        self.me = self.maybe.take().map(|me| Server { revision, ..me });
        self.wrote = boot;
        self.trust();
        notes.retain(|note| self.bounds.note(note.clone()));
        self.is_behind = true;
        synced(self.note(notes)).await?;
        self.is_behind = false;
        Ok(true)
    }

    /// Says in the register that this server has stopped (PROTOCOL R29); a guest leaves it.
    pub async fn leave<B: BackEnd>(&mut self, back_end: &mut B) {
        let Some(me) = self.me.take() else { return };
        if let Err(problem) = self.left(back_end, me).await {
            tracing::warn!(
                "the store's register does not say that this server stopped: {}",
                problem.detail
            );
        }
    }

    pub(super) async fn left<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        me: Server,
    ) -> Result<(), Problem> {
        back_end.begin().await?;
        let mut after = Server { beat: me.beat.next(), ..me.clone() };
        after.record.stopped = true;
        let beat = after.beat;
        let after = Some(after).filter(|_| self.journal.is_some());
        if is_done(back_end.write(&[vec![change(Some(me), after)]]).await?)? {
            synced(self.note([Note::Beat(beat)])).await?;
        }
        Ok(())
    }

    /// Writes a group with the own record in it; tells whether it is written.
    pub(super) async fn put<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        group: Group,
        after: &Server,
    ) -> Result<bool, Problem> {
        self.maybe = Some(after.clone());
        let is_written = is_done(back_end.write(&[group]).await?)?;
        self.maybe = None;
        Ok(is_written)
    }
}
