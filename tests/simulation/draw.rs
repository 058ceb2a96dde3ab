//! Draws IDs, and checks each: handed out once, inside the grants, ascending, timely.

use leafid_core::registry::STEP_CAP;
use leafid_core::{Code, HostTime, Layout, Range, Refusal};

use crate::database::Database;
use crate::generator::Config;
use crate::holder::{Book, Holder};
use crate::host_clock::{HostClock, SLACK_MS, Trust};
use crate::ledger::LineName;
use crate::rng::Rng;
use crate::tally::Tally;
use crate::verdict::{Verdict, fail};

/// The part of the world that drawing needs.
pub struct Scene<'w> {
    pub t: i64,
    pub store_times: (i64, i64),
    pub stores: &'w mut [Database],
    pub tally: &'w mut Tally,
    pub buffer: &'w mut Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
pub enum Way {
    Next,
    Fill,
    Take,
}

pub type Drawn = Result<usize, Refusal>;

pub fn draw(
    holder: &mut Holder,
    scene: &mut Scene<'_>,
    n: usize,
    way: Way,
    rng: &mut Rng,
) -> Verdict<Drawn> {
    let now = holder.now(scene.t);
    let whole = if matches!(way, Way::Take) { n as u64 } else { 1 };
    let n = if whole > 1 { n } else { n.clamp(1, scene.buffer.len()) };
    holder.draws += 1;
    let drawn = match way {
        Way::Next => next(holder, scene.buffer, n.min(8), now),
        Way::Fill => holder.generator.fill_available(now, &mut scene.buffer[..n]),
        Way::Take => take(holder, scene, n, now)?,
    };
    match drawn {
        Ok(count) => {
            if let Some(code) = holder.generator.failure().filter(|code| code.stops()) {
                fail!(Outside, "holder {}: {count} IDs after {code}", holder.identity);
            }
            check(holder, scene, count)?;
            holder.book.ids += count as u64;
            scene.tally.ids += count as u64;
            if !holder.is_numbers() {
                scene.tally.snowflake_ids += count as u64;
            }
        }
        Err(refusal) => {
            scene.tally.overflows += u64::from(refusal.code == Code::TimeOverflow);
            check_refusal(holder, refusal, now, whole, rng)?;
        }
    }
    if holder.draws.is_multiple_of(16) {
        check_counters(holder)?;
    }
    Ok(drawn)
}

/// Takes all or none. A count that can never be had is refused at once, and no other is.
fn take(holder: &mut Holder, scene: &mut Scene<'_>, n: usize, now: HostTime) -> Verdict<Drawn> {
    let most = holder.generator.most();
    let generator = &mut holder.generator;
    let ready = generator.ready(now, n as u64);
    let out = scene.buffer.get_mut(..n);
    let taken = match out {
        Some(out) => {
            let marked = [out[0], out[n - 1]];
            let taken = generator.fill(now, out);
            if taken.is_err() && marked != [out[0], out[n - 1]] {
                fail!(Promise, "{n} were refused, and some came");
            }
            taken
        }
        None => ready,
    };
    if taken.map_err(|refusal| refusal.code) != ready.map_err(|refusal| refusal.code) {
        fail!(Promise, "{n} were ready: {ready:?}; then {taken:?}");
    }
    holder.thrift.wanted(n as u64, ready.map_err(|refusal| refusal.code));
    if let Err(refusal) = ready {
        // An operator may have raised the tag's limit: a holder that heard of it long ago asks again.
        let (too_many, told) = (n as u64 > most, refusal.code == Code::CountInvalid);
        let may_look = holder.is_numbers()
            && !holder.thrift.knows_limits(now)
            && n as u64 <= u64::from(STEP_CAP);
        scene.tally.looks += u64::from(too_many && !told);
        if !refusal.code.stops() && too_many != told && !(too_many && may_look) {
            fail!(Promise, "{n} are wanted, {most} the most at once: {refusal}");
        }
        scene.tally.ends_known += u64::from(refusal.code == Code::TagSpent);
        return Ok(Err(refusal));
    }
    // That many are ready; a caller with too little room takes as many as fit.
    if n > scene.buffer.len() {
        return Ok(holder.generator.fill_available(now, scene.buffer));
    }
    Ok(Ok(n))
}

fn next(holder: &mut Holder, buffer: &mut [u64], n: usize, now: HostTime) -> Drawn {
    for (count, place) in buffer.iter_mut().take(n).enumerate() {
        match holder.generator.next(now) {
            Ok(id) => *place = id,
            Err(refusal) if count == 0 => return Err(refusal),
            Err(_) => return Ok(count),
        }
    }
    Ok(n)
}

pub fn check(holder: &mut Holder, scene: &mut Scene<'_>, count: usize) -> Verdict {
    let Some(store) = holder.book.store else {
        fail!(Outside, "an ID before the first grant");
    };
    let layout = holder.generator.layout();
    let Some(ids) = scene.buffer.get(..count) else { return Ok(()) };
    let mut at = 0;
    while let Some(&first) = ids.get(at) {
        let length = run_length(&ids[at..], layout);
        let last = ids[at + length - 1];
        if let Some(before) = holder.book.last_id.filter(|before| *before >= first) {
            fail!(Descends, "holder {}: {first} after {before}", holder.identity);
        }
        let (worker, start) = place(first, layout);
        let (_, end) = place(last, layout);
        let positions = Range::new(start, end + 1);
        let (line, sequence_bits) = match layout {
            None => (LineName::Tag(holder.make.place), 0),
            Some(layout) => {
                (LineName::Worker(holder.make.place, worker), layout.sequence_bits().into())
            }
        };
        let by = holder.identity;
        scene.stores[store].ledger.issue(line, positions, sequence_bits, by)?;
        if let Some(layout) = layout {
            let ticks = (start >> sequence_bits, end >> sequence_bits);
            check_time(holder, scene, &layout, ticks)?;
            note_time(&mut holder.book, start, end, ticks.0);
        }
        holder.book.last_id = Some(last);
        at += length;
    }
    Ok(())
}

/// Counts the IDs from the first on that have adjoining positions.
fn run_length(ids: &[u64], layout: Option<Layout>) -> usize {
    let (low, step) = match layout {
        None => (0, 0),
        Some(layout) => {
            let low = layout.per_tick() - 1;
            // The difference between a tick's last ID and the next tick's first, of one worker.
            let step = (1u64 << (layout.worker_bits() + layout.sequence_bits())) - low;
            (low, step)
        }
    };
    let follows = |pair: &[u64]| match pair {
        [a, b] if layout.is_some() && a & low == low => a.wrapping_add(step) == *b,
        [a, b] => a + 1 == *b,
        _ => false,
    };
    1 + ids.windows(2).take_while(|pair| follows(pair)).count()
}

fn place(id: u64, layout: Option<Layout>) -> (u32, u64) {
    let Some(layout) = layout else { return (0, id) };
    let worker = (id >> layout.sequence_bits()) & (layout.workers() - 1);
    let tick = id >> (layout.sequence_bits() + layout.worker_bits());
    (worker as u32, tick << layout.sequence_bits() | id & (layout.per_tick() - 1))
}

/// A draw that did not go on at the last position began at its time: so the time is known.
fn note_time(book: &mut Book, start: u64, end: u64, tick: u64) {
    if book.last_position.is_some_and(|last| last + 1 < start) {
        book.known_tick = book.known_tick.max(tick);
    }
    book.last_position = Some(end);
}

const DRIFT_MS: i64 = 2_500;

fn check_time(holder: &Holder, scene: &Scene<'_>, layout: &Layout, ticks: (u64, u64)) -> Verdict {
    let Config::Space(config) = holder.make.config else { return Ok(()) };
    let HostClock { trust, error_ms, ahead_until, .. } = holder.clock;
    let slack = error_ms.max(SLACK_MS).saturating_add(DRIFT_MS + i64::from(layout.tick_ms()));
    let (slowest, furthest) = scene.store_times;
    let ahead = i64::from(config.max_ahead_ms);
    let late = slowest - layout.time(ticks.0).get();
    let early = layout.time(ticks.1).get() - furthest.max(ahead_until) - ahead;
    let is_late = trust == Trust::Honest && late > slack && !holder.clock.looks_unmoved();
    let is_early = trust <= Trust::Behind && early > slack;
    if is_late || is_early {
        fail!(
            Untimely,
            "holder {}: an ID {late} ms behind the slowest and {early} ms above `max_ahead` of \
             the furthest server, {slack} ms allowed",
            holder.identity
        );
    }
    Ok(())
}

/// `whole` is the count that was wanted at once.
fn check_refusal(
    holder: &Holder,
    refusal: Refusal,
    now: HostTime,
    whole: u64,
    rng: &mut Rng,
) -> Verdict {
    if !matches!(refusal.code, Code::SequenceSpent | Code::ClockBehind) {
        return Ok(());
    }
    let (Config::Space(config), Some(layout)) = (holder.make.config, holder.generator.layout())
    else {
        fail!(Promise, "numbers were refused with {refusal}");
    };
    let ahead = u64::from(config.max_ahead_ms / layout.tick_ms());
    let ceiling = (holder.book.known_tick + ahead + 1) << layout.sequence_bits();
    if let Some(last) = holder.book.last_position.filter(|last| whole == 1 && last + 1 < ceiling) {
        fail!(
            WentBack,
            "holder {}: {} at position {}, {} below the ceiling of a time that it has seen; at {} \
             ms, {:?}, {:?}",
            holder.identity,
            refusal.code,
            last + 1,
            ceiling - last - 1,
            now.get(),
            holder.book,
            holder.generator.stats()
        );
    }
    let Some(until) = refusal.until.filter(|until| *until > now) else {
        fail!(
            Promise,
            "holder {}: {refusal} at {} ms, wanting {whole}, {:?}, last at {:?} of {layout:?}, {:?}",
            holder.identity,
            now.get(),
            holder.generator.stats(),
            holder.book.last_position,
            holder.make
        );
    };
    if rng.chance(50)
        && let Some(mut image) = holder.generator.image()
        && let Err(again) = image.ready(until, whole)
        && matches!(again.code, Code::SequenceSpent | Code::ClockBehind)
    {
        fail!(Promise, "{refusal}, and at that time {again}");
    }
    Ok(())
}

/// Compares the generator's counters with what was seen from outside.
pub fn check_counters(holder: &Holder) -> Verdict {
    let (stats, book) = (holder.generator.stats(), &holder.book);
    let spent = stats.ids + stats.in_hand + stats.dropped;
    let numbers_fit = !holder.is_numbers() || book.resumed || spent == book.numbers;
    if stats.ids != book.ids || stats.grants != book.grants || !numbers_fit {
        fail!(
            Counters,
            "holder {}: {} IDs, {} grants, {} numbers, but {stats:?}",
            holder.identity,
            book.ids,
            book.grants,
            book.numbers
        );
    }
    Ok(())
}
