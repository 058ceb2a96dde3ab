//! Worker numbers in use outside of leafid, such as by a generator that is to be replaced. They are not
//! granted until it has stopped, and then only above all its time stamps.
//!
//! The row of such a number has no key and is reserved to the end of the layout. No window ends there
//! before the layout itself does, so the row alone shows that the number is set aside, even after an
//! operator's release removed the owner.

use alloc::borrow::ToOwned;
use alloc::format;
use leafid_core::registry::WorkerRow;
use leafid_core::{Code, Layout, Name, Refusal, StoreTime};

use crate::change::Aside;
use crate::problem::Problem;
use crate::row::NamespaceRow;
use crate::rows::TurnRows;
use crate::stop::Stop;
use crate::{utc, windows};

/// How long after its window has ended a number can be set aside again: the other generator's clock may be
/// behind.
const MARGIN_MS: i64 = 10_000;

/// Whether a number is set aside, and not taken over yet.
pub fn is_aside(layout: &Layout, row: &WorkerRow) -> bool {
    row.key.is_none() && row.reserved_until == layout.last_end()
}

/// Sets a number aside, or takes it over. While it is set aside, `held_from` keeps the end of earlier grants,
/// so that no later one begins below.
///
/// # Errors
/// `WORKERS_EXHAUSTED` until a holder's window on it is over, and for 10 s more where it is set aside;
/// `TIME_OVERFLOW`.
pub fn decide(
    layout: &Layout,
    row: &WorkerRow,
    ask: &Aside,
    now: StoreTime,
) -> Result<WorkerRow, Refusal<StoreTime>> {
    layout.tick(now)?;
    if !is_aside(layout, row) && row.reserved_until > 0 {
        let end = layout.time(row.reserved_until);
        let free_at = match ask.until {
            None => end.plus(MARGIN_MS),
            Some(_) if row.key.is_some() => end,
            Some(_) => now,
        };
        if free_at > now {
            return Err(Refusal::until(Code::WorkersExhausted, free_at));
        }
    }
    let before = if is_aside(layout, row) { row.held_from } else { row.reserved_until };
    let reserved_until = match ask.until {
        None => layout.last_end(),
        Some(until) => before.max(layout.tick(until)?.saturating_add(1)),
    };
    Ok(WorkerRow {
        owner: ask.owner,
        sticky: !ask.owner.is_empty(),
        key: None,
        held_from: before,
        reserved_until,
        granted: now.max(row.granted),
    })
}

/// The same in a turn, for any number of the layout: one outside of the namespace's range may enter it.
pub fn set_aside(
    turn: &mut TurnRows,
    name: &Name,
    worker: u32,
    ask: &Aside,
) -> Result<WorkerRow, Stop> {
    let NamespaceRow { namespace, used_until } = windows::with(turn, name, worker)?;
    let before = turn.worker(name, worker)?.unwrap_or_default();
    let after = decide(&namespace.layout, &before, ask, turn.now)
        .map_err(|refusal| refused(refusal, name, worker, &before, ask, turn.now))?;
    if u64::from(worker) == used_until {
        // It has a row now; the first row of a namespace fixes its layout.
        turn.join_worker(name, (worker, after));
        turn.put_namespace(name, NamespaceRow { namespace, used_until: used_until + 1 });
    } else {
        turn.put_worker(name, worker, after);
    }
    Ok(after)
}

fn refused(
    refusal: Refusal<StoreTime>,
    name: &Name,
    worker: u32,
    row: &WorkerRow,
    ask: &Aside,
    now: StoreTime,
) -> Problem {
    match (refusal.code, refusal.until) {
        (Code::WorkersExhausted, Some(free_at)) => {
            let detail = format!(
                "worker {worker} of namespace `{name}` is {}, and free from {} on; end what holds it, \
                 and do this then",
                match row.owner.is_empty() {
                    true => "granted".to_owned(),
                    false => format!("granted to `{}`", row.owner),
                },
                utc::text(free_at)
            );
            Problem::new(refusal.code, detail).free_at(Some(free_at), now)
        }
        (Code::TimeOverflow, _) => {
            let until = ask.until.unwrap_or(now).get();
            let detail = format!(
                "the layout of namespace `{name}` has no time {until} (ms since 1970): give \
                 `until_ms` as ms, within the layout"
            );
            Problem::new(refusal.code, detail)
        }
        _ => refusal.into(),
    }
}

#[cfg(test)]
mod tests {
    use leafid_core::registry::{self, Candidates, Namespace};
    use leafid_core::{AcquireAsk, Token};

    use super::*;

    const LEAF: Layout = Layout::LEAF;
    const NOW: StoreTime = StoreTime::new(1_800_000_000_000);

    fn at(ms: i64) -> u64 {
        LEAF.tick(NOW.plus(ms)).unwrap()
    }

    fn owner() -> Name {
        Name::owner("192.0.2.2:54215").unwrap()
    }

    #[test]
    fn a_number_rests_until_it_is_taken_over_and_above_all_that_was_stamped() {
        let outside = Aside { owner: owner(), until: None };
        let row = decide(&LEAF, &WorkerRow::default(), &outside, NOW).unwrap();
        assert!(is_aside(&LEAF, &row));
        assert_eq!((row.held_from, row.reserved_until), (0, LEAF.last_end()));
        assert_eq!(decide(&LEAF, &row, &outside, NOW), Ok(row), "said twice");
        let revoked = row.revoked();
        assert!(is_aside(&LEAF, &revoked), "an operator's release does not free it");

        let stamped = Aside { until: Some(NOW.plus(5_000)), ..outside };
        let over = decide(&LEAF, &revoked, &stamped, NOW).unwrap();
        assert_eq!((over.reserved_until, over.sticky), (at(5_001), true));
        assert!(!is_aside(&LEAF, &over));
        let earlier = Aside { until: Some(NOW), ..outside };
        let again = decide(&LEAF, &over, &earlier, NOW).unwrap();
        assert_eq!(again.reserved_until, over.reserved_until, "never down again");

        let namespace = Namespace::create(LEAF, None, None).unwrap();
        let own = [Some((3, over)), None];
        let name = Name::namespace("default").unwrap();
        let ask = AcquireAsk {
            sticky: true,
            strict: true,
            ..AcquireAsk::new(name, Token::new([2; 16]), owner())
        };
        let acquire = |now| {
            let candidates = Candidates { own, ..Candidates::default() };
            registry::acquire(Token::new([1; 16]), &namespace, &candidates, &ask, now)
        };
        let early = acquire(NOW.plus(5_000)).unwrap_err();
        assert_eq!((early.code, early.until), (Code::WorkersExhausted, Some(NOW.plus(5_001))));
        let grant = acquire(NOW.plus(5_001)).unwrap().grant;
        assert_eq!((grant.worker, grant.ticks.start), (3, at(5_001)));
    }

    #[test]
    fn what_was_granted_here_before_is_never_granted_again() {
        let granted = WorkerRow { reserved_until: at(-10), granted: NOW, ..WorkerRow::default() };
        let now = NOW.plus(MARGIN_MS);
        let outside = Aside { owner: Name::EMPTY, until: None };
        let row = decide(&LEAF, &granted, &outside, now).unwrap();
        assert_eq!((row.held_from, row.sticky), (at(-10), false));
        let over = Aside { until: Some(StoreTime::new(LEAF.epoch_ms())), ..outside };
        assert_eq!(decide(&LEAF, &row, &over, now).unwrap().reserved_until, at(-10));
    }

    #[test]
    fn a_number_with_a_holder_is_not_set_aside() {
        let resting = WorkerRow { reserved_until: at(40), ..WorkerRow::default() };
        let outside = Aside { owner: owner(), until: None };
        let refusal = decide(&LEAF, &resting, &outside, NOW).unwrap_err();
        let again = NOW.plus(40 + MARGIN_MS);
        assert_eq!(refusal.until, Some(again), "a revoked holder goes on to its end");
        let over = Aside { until: Some(NOW.plus(50)), ..outside };
        assert_eq!(decide(&LEAF, &resting, &over, NOW).unwrap().reserved_until, at(51));

        let key = Some(Token::new([7; 16]));
        let held = WorkerRow { key, ..resting };
        assert!(decide(&LEAF, &held, &over, NOW).is_err());
        let refusal = decide(&LEAF, &held, &outside, NOW).unwrap_err();
        assert_eq!((refusal.code, refusal.until), (Code::WorkersExhausted, Some(again)));
        assert!(decide(&LEAF, &held, &outside, again.plus(-1)).is_err(), "a Leaf may be behind");
        assert!(decide(&LEAF, &held, &outside, again).is_ok());
        let refusal = decide(&LEAF, &held, &over, NOW).unwrap_err();
        assert_eq!(refusal.until, Some(NOW.plus(40)), "taken over at once");
    }
}
