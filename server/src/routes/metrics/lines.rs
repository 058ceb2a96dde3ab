//! How far tags have come, what of worker numbers and layouts is left, and for how long.

use leafid_core::StoreTime;
use leafid_core::registry::TagRow;

use super::TAGS;
use crate::seen::census::{SpaceSight, TagSight, TagSights};
use crate::seen::exposition::Exposition;
use crate::seen::numbers::{Numbers, State};
use crate::seen::rate::seconds_left;

/// Positions of tags, and their ends.
pub fn put_tags(all: &mut Exposition, seen: &TagSights) {
    let left = |sight: &TagSight| {
        sight.per_second.map(|per_second| seconds_left(sight.row.remaining(), per_second))
    };
    let mut tags: Vec<_> = seen.tags.iter().map(|sight| (sight, left(sight))).collect();
    // Those that end first matter most, and then those that are used.
    let order = |left: Option<f64>| left.unwrap_or(f64::INFINITY);
    tags.sort_by(|(a, x), (b, y)| {
        let moved = |sight: &TagSight| sight.per_second.is_none_or(|rate| rate <= 0.0);
        order(*x).total_cmp(&order(*y)).then(moved(a).cmp(&moved(b))).then(a.tag.cmp(&b.tag))
    });
    tags.truncate(TAGS);
    tags.sort_by_key(|(sight, _)| sight.tag);

    let mut gauge = |name, help, value: fn(&TagRow) -> u64| {
        let mut family = all.gauge(name, help);
        for (sight, _) in &tags {
            family.count(&[("tag", sight.tag.as_str())], value(&sight.row));
        }
    };
    let help = "The next number of a tag that was never leased.";
    gauge("leafid_tag_position", help, |row| row.max_id);
    let help = "How many numbers a tag has left, up to its `until` or to 2^63 - 1.";
    gauge("leafid_tag_remaining_ids", help, TagRow::remaining);
    gauge("leafid_tag_step_ids", "How many numbers a lease of a tag has.", |row| row.step.into());
    let help = "When a tag has no numbers left, in seconds from now, at the rate of the last quarter \
                of an hour; +Inf where nothing is leased.";
    let mut family = all.gauge("leafid_tag_exhaustion_seconds", help);
    for (sight, left) in &tags {
        family.value(&[("tag", sight.tag.as_str())], *left);
    }
    let mut family = all.gauge("leafid_tags_seen", "Tags that were looked at, 1000 at most.");
    family.count(&[], seen.tags.len() as u64);
}

/// Worker numbers by state, and their end and that of the layout.
pub fn put_spaces(all: &mut Exposition, spaces: &[SpaceSight]) {
    let help = "Worker numbers of a namespace's range, by state.";
    let mut family = all.gauge("leafid_worker_numbers", help);
    for space in spaces {
        for state in State::ALL {
            let labels = [("namespace", space.name.as_str()), ("state", state.name())];
            family.count(&labels, space.numbers.count(*state));
        }
    }
    let help = "When all worker numbers of a namespace are in use, in seconds from now, at the rate \
                of the last quarter of an hour; +Inf where no more are used than before.";
    let mut family = all.gauge("leafid_worker_exhaustion_seconds", help);
    for space in spaces {
        let numbers: &Numbers = &space.numbers;
        let left = space.per_second.map(|rate| seconds_left(numbers.to_be_had(), rate));
        family.value(&[("namespace", space.name.as_str())], left);
    }
    let help = "When the time bits of a namespace's layout are used up, in seconds from now.";
    let mut family = all.gauge("leafid_layout_exhaustion_seconds", help);
    for space in spaces {
        let ms = seconds(space.row.layout.last(), space.numbers.now);
        family.value(&[("namespace", space.name.as_str())], Some(ms));
    }
}

fn seconds(end: StoreTime, now: StoreTime) -> f64 {
    end.since(now).max(0) as f64 / 1_000.0
}
