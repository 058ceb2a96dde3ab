//! The record of a server in its turns: what it wrote, until the others have noted it.

use leafid_core::HostTime;
use leafid_turn::register::{Beat, Change, Line, Server};

use super::{ALONE_MS, Guard, change, is_done};
use crate::backends::{BackEnd, Group};
use crate::fence::bounds::Note;
use crate::fence::moving::Moves;
use crate::problem::Problem;

/// What the answers of a turn wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announced {
    /// Nothing: no other server has to note them.
    Noted,
    /// The other servers, up to this beat.
    At(Beat),
    /// The store may not be as this server left it: all is decided again after a look.
    Undone,
}

impl Guard {
    /// Whether a turn was decided on rows that are below their bounds (PROTOCOL R22), and on which: then it is
    /// decided again. If the store lacks something of them, it is fenced in the next turn.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if the store cannot be read.
    pub async fn compare<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        lines: &[Change],
    ) -> Result<Vec<Line>, Problem> {
        if self.me.is_none() && !lines.is_empty() {
            let (servers, fenced) = Self::register(back_end).await?;
            self.others = servers;
            self.learn_fence(&fenced);
        }
        let is_below = |change: &&Change| change.before < self.bounds.state(&change.line);
        let below: Vec<Line> = lines.iter().filter(is_below).map(|change| change.line).collect();
        if self.me.is_none() || below.is_empty() {
            return Ok(Vec::new());
        }
        // What another server wrote may be missing from the cache alone.
        self.is_doubtful = self.lacks(back_end, &below).await?;
        Ok(below)
    }

    /// Whether a row is below the bound of its line in the store.
    pub(super) async fn lacks<B: BackEnd>(
        &self,
        back_end: &mut B,
        lines: &[Line],
    ) -> Result<bool, Problem> {
        let bounds = self.bounds.of(lines);
        Ok(!Moves::plan(back_end, &bounds, (false, false), 0, None).await?.writes.is_empty())
    }

    /// PROTOCOL R20: announces the rows that a turn wrote, and notes them: after the write, so that the store is
    /// never behind the journal where a server is killed.
    ///
    /// # Errors
    /// `STORE_UNAVAILABLE` if the register or the journal cannot be used.
    pub async fn announce<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        lines: Vec<Change>,
        longest_ms: u32,
        boot: HostTime,
    ) -> Result<Announced, Problem> {
        let is_new = !lines.iter().all(|change| self.bounds.knows(&change.line));
        let mut notes: Vec<Note> = lines.iter().map(|change| Note::Line(change.line)).collect();
        notes.push(Note::Longest(longest_ms));
        let has_members = !lines.is_empty() && self.members().next().is_some();
        let is_due = is_new && self.me.is_some() && boot.since(self.wrote) >= ALONE_MS;
        if has_members && self.is_silent(boot) {
            self.looked = None;
            return Ok(Announced::Undone);
        }
        let mut answer = Announced::Noted;
        if has_members || is_due {
            let beat = self.me.as_ref().map_or(self.life, |me| me.beat).next();
            let mut after = self.next(beat);
            if has_members {
                after.record.waits = Some(beat);
                if after.record.lines.is_empty() {
                    self.waiting.clear();
                }
                self.waiting.extend(&lines);
                after.record.announce(lines);
                answer = Announced::At(beat);
            }
            back_end.begin().await?;
            if !self.put(back_end, self.me.clone(), &after, Vec::new()).await? {
                self.looked = None;
                return Ok(Announced::Undone);
            }
            (self.me, self.wrote) = (Some(after), boot);
            self.trust();
            if back_end.facts().abilities.counts_revisions {
                self.looked = None;
            }
            notes.push(Note::Beat(beat));
        }
        let notes = self.bounds.learn(notes);
        self.is_behind = true;
        self.note(notes).await?;
        self.is_behind = false;
        Ok(answer)
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
            self.note(vec![Note::Beat(beat)]).await?;
        }
        Ok(())
    }

    /// Writes the own record, and other rows of the register with it; tells whether they are written.
    pub(super) async fn put<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        before: Option<Server>,
        after: &Server,
        others: Group,
    ) -> Result<bool, Problem> {
        self.maybe = Some(after.clone());
        let group = [vec![change(before, Some(after.clone()))], others].concat();
        let is_written = is_done(back_end.write(&[group]).await?)?;
        self.maybe = None;
        Ok(is_written)
    }
}
