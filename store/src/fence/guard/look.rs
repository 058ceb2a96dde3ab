//! A look at the register: what the others wrote and this server has to note, who waits for it, and who is gone.

use leafid_core::{Code, HostTime, StoreTime, Token};
use leafid_turn::register::{Change, Line, Server};

use super::{FORGOTTEN_MS, Guard, ID_LETTERS, PERIOD_MS, SILENT_MS, busy, change, keeps_none};
use crate::backends::{Answer, BackEnd, Fenced, Group, Seen, Want};
use crate::fence::Register;
use crate::fence::bounds::Note;
use crate::fence::moving;
use crate::problem::Problem;

impl Guard {
    /// Reads the servers, and after them the fence: an ack that was written behind a fence is never seen
    /// without it.
    pub(super) async fn register<B: BackEnd>(
        back_end: &mut B,
    ) -> Result<(Vec<Server>, Seen<Fenced>), Problem> {
        let mut read = back_end.read(&[Want::Servers, Want::Fenced]).await?.into_iter();
        match (read.next(), read.next()) {
            (Some(Answer::Servers(servers)), Some(Answer::Fenced(fenced))) => Ok((servers, fenced)),
            (Some(Answer::Unreadable(problem)), _) | (_, Some(Answer::Unreadable(problem))) => {
                Err(problem)
            }
            _ => Err(Problem::unavailable("the store does not say which servers it has")),
        }
    }

    /// Reads the register, notes what others wrote, and writes the own record if they wait for it or a
    /// period is over; tells whether it wrote.
    pub(super) async fn look<B: BackEnd>(
        &mut self,
        back_end: &mut B,
        now: StoreTime,
        boot: HostTime,
    ) -> Result<bool, Problem> {
        let (servers, fenced) = Self::register(back_end).await?;
        let mine = servers.iter().find(|server| server.id == self.id);
        let known: Vec<Server> = self.me.iter().chain(&self.maybe).cloned().collect();
        match known.iter().find(|known| mine.is_some_and(|mine| mine.beat == known.beat)) {
            Some(known) => {
                let revision = mine.map_or(0, |mine| mine.revision);
                (self.me, self.maybe) = (Some(Server { revision, ..known.clone() }), None);
            }
            None => {
                let last = known.iter().map(|known| known.beat).max().unwrap_or_default();
                let goes_on = match mine {
                    // A member asks it to decide again.
                    None => self.journal.is_none(),
                    // A write that was sent long ago never lands later: it has the record before as its condition.
                    Some(mine) => {
                        self.bounds.beat = last;
                        self.is_as_left(Some(mine))?
                    }
                };
                if goes_on {
                    if mine.is_some() {
                        tracing::warn!(
                            "other servers have not heard of this one, and went on without it; it is back"
                        );
                    }
                    self.hands.clear();
                    (self.life, self.start) = (last, (last, fenced.row.generation));
                    (self.me, self.maybe) = (None, None);
                    if !self.name.is_empty() {
                        self.start(back_end, now, boot).await?;
                    }
                    return Ok(true);
                }
                self.bounds.beat = last;
                self.fence(back_end, now, boot, None).await?;
                return Ok(true);
            }
        }
        self.looked = Some(boot);
        self.learn_fence(&fenced);
        let mut others = servers;
        others.retain(|server| server.id != self.id);
        let is_member = self.journal.is_some();
        let anew = self.is_silent(boot)
            || is_member && !self.is_confirmed && self.start.1 != self.generation;
        let mut members = others.iter().filter(|server| server.is_member());
        let is_acked = members.all(|server| self.is_acked_by(server, self.start.0));
        let goes_on = is_member && !anew && is_acked;
        let (is_first, is_last) = (goes_on && !self.is_surveyed, goes_on && !self.is_confirmed);
        let (mut notes, mut below) = (Vec::new(), Vec::new());
        if is_last && !is_first {
            // What guests wrote meanwhile is compared with this.
            (notes, below) = self.read_all(back_end).await?;
        } else if is_member && !self.is_confirmed {
            // Only a confirmed server can judge what a guest wrote.
            others.retain(|server| !server.record.guest);
        }
        notes.extend(self.learn_others(others, boot));
        self.show(boot);
        if self.members().next().is_none() {
            // A server without others is dropped by none, however long it writes nothing.
            self.alone = boot;
        }
        if is_first || is_member && self.surveys {
            let (new, more) = self.read_all(back_end).await?;
            notes.extend(new);
            below.extend(more);
            self.surveys = false;
        }
        let members = self.members().map(|server| server.id).collect();
        notes.extend(self.bounds.learn([Note::Members(members)]));
        let is_doubtful = std::mem::take(&mut self.is_doubtful);
        if is_doubtful || !below.is_empty() && self.lacks(back_end, &below).await? {
            self.note(notes).await?;
            self.fence(back_end, now, boot, None).await?;
            return Ok(true);
        }
        let begins = is_first && self.members().next().is_some();
        self.is_surveyed |= is_first && !begins;
        self.is_confirmed |= goes_on && self.is_surveyed;
        self.trust();
        let removal =
            self.remove.take().and_then(|(name, reply)| match self.removable(&name, boot) {
                Ok(server) => Some((server, reply)),
                Err(problem) => {
                    let _ = reply.send(Err(problem));
                    None
                }
            });
        let (removed, reply) = removal.unzip();
        let Some((after, gone)) = self.answer(boot, removed, anew, begins) else {
            self.note(notes).await?;
            return Ok(false);
        };
        notes.push(Note::Beat(after.beat));
        // An ack says that it is noted.
        self.note(notes).await?;
        let removes = !gone.is_empty();
        let is_written = self.put(back_end, self.me.clone(), &after, gone).await?;
        if is_written {
            if anew || begins {
                (self.start, self.is_surveyed) = ((after.beat, self.generation), begins);
                self.is_confirmed &= !anew;
            }
            (self.me, self.wrote) = (Some(after), boot);
            self.trust();
        }
        if let Some(reply) = reply {
            let _ = reply.send(if is_written { Ok(()) } else { Err(busy()) });
        }
        // The next look finds the row's revision.
        if removes || !is_written || back_end.facts().abilities.counts_revisions {
            self.looked = None;
        }
        Ok(true)
    }

    /// Reads all rows; gives the notes of what is new, and the bounds that are above their rows.
    async fn read_all<B: BackEnd>(
        &mut self,
        back_end: &mut B,
    ) -> Result<(Vec<Note>, Vec<Line>), Problem> {
        let (lines, longest_ms) = moving::survey(back_end).await?;
        let below = self.bounds.above(&lines);
        let all = lines.into_iter().map(Note::Line).chain([Note::Longest(longest_ms)]);
        Ok((self.bounds.learn(all), below))
    }

    /// Makes the record to write after a look, with its acks (PROTOCOL R22), and the group of writes that has it
    /// and removes the servers that are dropped (PROTOCOL R27); `None` if no write is due. A start takes two
    /// writes: `anew` makes this one the first, and `begins` the second, at which the others compare all rows with
    /// their journals.
    pub(super) fn answer(
        &mut self,
        boot: HostTime,
        removed: Option<Server>,
        anew: bool,
        begins: bool,
    ) -> Option<(Server, Group)> {
        let me = self.me.clone()?;
        let is_member = self.journal.is_some();
        let mut after = self.next(me.beat.next());
        let mut gone = Vec::new();
        let mut is_due = !self.is_deserted() && boot.since(self.wrote) >= PERIOD_MS / 2;
        // Others may have dropped a silent one, and a restore may have undone that.
        if anew || begins {
            (is_due, after.record.waits, after.record.all) = (true, Some(after.beat), begins);
        }
        if is_member {
            for server in &self.others {
                let Some(waits) = server.record.waits else { continue };
                // Its server decides again what it wrote before a fence.
                if server.record.generation != self.generation {
                    continue;
                }
                if self.low.contains(&server.id) {
                    gone.push(change(Some(server.clone()), None));
                    continue;
                }
                is_due |= !me.has_acked(server.id, waits, self.generation);
                after.record.acks.insert(server.id, server.beat);
            }
        }
        let is_steady = boot.since(self.steady) >= SILENT_MS;
        for server in &self.others {
            let age = self.silent_ms(server, boot);
            let is_silent = is_steady && age >= SILENT_MS;
            let is_named = removed.as_ref().is_some_and(|removed| removed.id == server.id);
            let is_out = server.record.out.is_some() && age >= FORGOTTEN_MS;
            if self.low.contains(&server.id) {
                continue;
            }
            if is_silent && (server.record.guest || is_out) || is_named && server.record.guest {
                gone.push(change(Some(server.clone()), None));
            } else if is_named
                || self.is_confirmed && server.is_member() && (server.record.stopped || is_silent)
            {
                tracing::info!(
                    server = server.title(),
                    "a server stopped, or is silent, and is not waited for any more"
                );
                gone.push(change(Some(server.clone()), Some(server.dropped())));
            }
        }
        if !is_due && gone.is_empty() {
            return None;
        }
        Some((after, gone))
    }

    /// The server that an operator means, if it may be removed through this one.
    pub(super) fn removable(&self, name: &str, boot: HostTime) -> Result<Server, Problem> {
        if self.journal.is_none() {
            return Err(keeps_none());
        }
        if !self.is_confirmed {
            return Err(self.waited_too_long(self.start.0));
        }
        let is_meant = |server: &&Server| {
            let id = leafid_turn::hex(server.id);
            server.record.name == name || name.len() >= ID_LETTERS && id.starts_with(name)
        };
        let there = self.others.iter().filter(|server| server.record.out.is_none());
        let mut meant = there.filter(is_meant);
        let invalid = |detail: String| Err(Problem::new(Code::RequestInvalid, detail));
        let Some(server) = meant.next() else {
            return invalid(format!("the store has no other server `{name}`"));
        };
        if let Some(other) = meant.next() {
            let (one, other) = (leafid_turn::hex(server.id), leafid_turn::hex(other.id));
            return invalid(format!(
                "several servers are called `{name}`: name one by its id, {one} or {other}"
            ));
        }
        if !server.record.stopped && self.silent_ms(server, boot) < PERIOD_MS {
            return invalid(format!(
                "{} has written its record within the last 2 s, so it runs: stop it first, and ask again \
                 after that",
                server.title()
            ));
        }
        Ok(server.clone())
    }

    /// Whether this server has written nothing for a period while there were others.
    pub(super) fn is_silent(&self, boot: HostTime) -> bool {
        let since = self.wrote.max(self.alone);
        let is_due = self.me.is_some() && boot.since(since) >= PERIOD_MS;
        is_due && self.members().next().is_some()
    }

    /// How long a server has written nothing, as far as this one saw.
    pub(super) fn silent_ms(&self, server: &Server, boot: HostTime) -> i64 {
        self.ages.get(&server.id).map_or(0, |(_, since)| boot.since(*since))
    }

    /// Shows readers the register.
    pub(super) fn show(&self, boot: HostTime) {
        let is_silent = |server: &&Server| self.silent_ms(server, boot) >= PERIOD_MS;
        let waits = self.me.as_ref().and_then(|me| me.record.waits);
        let waited = self
            .awaited()
            .filter(is_silent)
            .filter(|server| waits.is_some_and(|beat| !self.is_acked_by(server, beat)));
        self.desk.see(Register {
            members: self.members().count() + usize::from(self.journal.is_some()),
            silent: Some(self.others.iter().filter(is_silent).map(|server| server.id).collect()),
            waits_for: waited.map(|server| (server.record.name.clone(), server.id)).collect(),
        });
    }

    pub(super) fn learn_fence(&mut self, fenced: &Seen<Fenced>) {
        self.generation = fenced.row.generation;
        self.desk.tell(fenced.row.generation, fenced.row.floor);
    }

    /// Takes in the others' records, and gives the notes of what is new (PROTOCOL R22).
    fn learn_others(&mut self, mut others: Vec<Server>, boot: HostTime) -> Vec<Note> {
        if boot.since(self.wrote) >= PERIOD_MS {
            self.steady = boot;
        }
        if others.iter().any(|server| server.record.guest) {
            self.visited = Some(boot);
        }
        // What members wrote is known before a guest's changes are compared with it.
        others.sort_by_key(|server| server.record.guest);
        let is_there = |id: &Token| others.iter().any(|server| server.id == *id);
        self.ages.retain(|id, _| is_there(id));
        self.low.retain(is_there);
        let before = std::mem::replace(&mut self.others, others.clone());
        let mut notes = Vec::new();
        for server in &others {
            let age = self.ages.entry(server.id).or_insert((server.beat, boot));
            if age.0 != server.beat {
                *age = (server.beat, boot);
            } else if *age != (server.beat, boot) {
                continue;
            }
            self.surveys |= server.record.all;
            let had = before.iter().find(|before| before.id == server.id);
            let is_known = !self.low.remove(&server.id);
            let had = had.filter(|_| is_known).map_or(&[][..], |had| &had.record.lines);
            let lines = &server.record.lines;
            let new = lines.strip_prefix(had).unwrap_or(lines);
            let low = new.iter().filter(|new| new.before < self.bounds.state(&new.line));
            let low: Vec<_> = low.filter(|_| server.record.guest).collect();
            if !low.is_empty() {
                // One that was written after its bound, on a state before that, hides that the row went back.
                let is_later = |new: &&Change| self.bounds.state(&new.line) < new.line.state;
                self.is_doubtful |= low.into_iter().any(|new| is_later(&new));
                self.low.insert(server.id);
                continue;
            }
            for change in new {
                self.hands.learn(&change.line);
                let is_mine = self.waiting.iter().any(|own| own.overlaps(change));
                let is_noted = !server.record.guest && self.has_noted(&before, change);
                self.is_doubtful |= is_mine || is_noted;
                notes.extend(self.bounds.learn([Note::Line(change.line)]));
            }
        }
        notes
    }

    /// Whether a change overlaps one of a guest, which this server has acked.
    fn has_noted(&self, others: &[Server], change: &Change) -> bool {
        let acks = self.me.iter().flat_map(|me| &me.record.acks);
        let acked = acks.filter_map(|(id, _)| others.iter().find(|server| server.id == *id));
        let mut guests = acked.filter(|server| server.record.guest);
        guests.any(|guest| guest.record.lines.iter().any(|acked| acked.overlaps(change)))
    }
}
