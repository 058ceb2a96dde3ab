//! `--above ID`: checks that the IDs of a layout are larger than those of another generator.

use leafid_core::{Code, Layout, StoreTime};
use leafid_store::problem::Problem;
use leafid_store::utc;
use leafid_wire::path;

use super::client::Client;

/// Takes the largest old ID apart by a layout, and checks that new ones are larger.
pub fn check(client: &Client, layout: &Layout, id: u64) -> Result<String, Problem> {
    let ready = client.get(path::READYZ)?;
    let Some(now) = ready["now_ms"].as_i64().or(ready["workers"]["now_ms"].as_i64()) else {
        let detail = "the server tells its store's time only to a valid token: set LEAFID_TOKEN";
        return Err(Problem::new(Code::Unauthorized, detail));
    };
    judge(layout, id, StoreTime::new(now))
}

fn judge(layout: &Layout, id: u64, now: StoreTime) -> Result<String, Problem> {
    let too_large = || {
        let detail = format!(
            "ID {id} is larger than any of this layout, whose time ends at {}: give the layout more bits, \
             at most 63 together",
            utc::text(layout.last())
        );
        Problem::new(Code::RangeInvalid, detail)
    };
    let parts = layout.decompose(id).map_err(|_| too_large())?;
    let (tick, at) = (layout.tick(parts.time)?, layout.tick(now)?);
    if tick < at {
        return Ok(format!(
            "ID {id} decodes to {}, worker {}, in this layout; the store's time is {}: new IDs are larger, \
             but not distinct from those that the old generator still makes: stop it everywhere first, \
             and check its largest ID once more. Beside one with this very layout, time, worker and \
             sequence in this order, it is enough to keep its worker numbers out of --workers",
            utc::text(parts.time),
            parts.worker,
            utc::text(now)
        ));
    }
    // With this epoch, now is one tick above the old ID's time.
    let back = i64::try_from(tick + 1).unwrap_or(i64::MAX).saturating_mul(layout.tick_ms().into());
    let epoch = now.get().saturating_sub(back);
    let earlier = match epoch {
        0.. => format!(
            ", or an earlier epoch: with --epoch-ms {epoch} --tick-ms {} --bits {}/{}/{} they begin above it",
            layout.tick_ms(),
            layout.time_bits(),
            layout.worker_bits(),
            layout.sequence_bits()
        ),
        _ => String::new(),
    };
    let detail = format!(
        "ID {id} decodes to {} in this layout, and the store's time is {}: new IDs would begin below it, and \
         reach it one day; take the layout of the generator that made it{earlier}",
        utc::text(parts.time),
        utc::text(now)
    );
    Err(Problem::new(Code::RangeInvalid, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: StoreTime = StoreTime::new(1_795_250_000_120);

    #[test]
    fn an_id_of_the_past_is_below_and_one_to_come_is_not() {
        let old = Layout::LEAF.compose(NOW.plus(-1), 7, 61).unwrap();
        let said = judge(&Layout::LEAF, old, NOW).unwrap();
        assert!(said.contains("worker 7") && said.contains("new IDs are larger"), "{said}");
        for ahead in [0, 1, 86_400_000] {
            let id = Layout::LEAF.compose(NOW.plus(ahead), 0, 0).unwrap();
            assert_eq!(
                judge(&Layout::LEAF, id, NOW).unwrap_err().code,
                Code::RangeInvalid,
                "{ahead}"
            );
        }
        let wide = judge(&Layout::JS53, u64::from(u32::MAX) << 30, NOW).unwrap_err();
        assert!(wide.detail.contains("larger than any"), "{wide}");
    }

    #[test]
    fn the_epoch_that_is_offered_does() {
        // Leaf's IDs, read with an epoch in 2020.
        let (epoch, old) = (1_577_836_800_000, Layout::LEAF.compose(NOW, 1_023, 4_095).unwrap());
        let later = Layout::new(epoch, 1, 41, 10, 12).unwrap();
        let said = judge(&later, old, NOW).unwrap_err().detail;
        let offered = said.split("--epoch-ms ").nth(1).unwrap().split(' ').next().unwrap();
        let earlier = Layout::new(offered.parse().unwrap(), 1, 41, 10, 12).unwrap();
        assert!(judge(&earlier, old, NOW).is_ok(), "{said}");
        assert!(earlier.compose(NOW, 0, 0).unwrap() > old);
        let one_more = Layout::new(offered.parse::<i64>().unwrap() + 1, 1, 41, 10, 12).unwrap();
        assert!(judge(&one_more, old, NOW).is_err(), "and is the latest that does");
    }
}
