//! Positions of tags; worker numbers and layouts left, and for how long.

use leafid_core::registry::TagRow;

use super::exposition::Exposition;
use crate::seen::census::{SpaceSight, TagSight, TagSights};
use crate::seen::rate::seconds_left;

/// Tags with metrics of their own at most: those with the least time left first.
const TAGS: usize = 200;

pub fn put_tags(all: &mut Exposition, seen: &TagSights) {
    let left = |sight: &TagSight| {
        sight.per_second.map(|per_second| seconds_left(sight.row.remaining(), per_second))
    };
    let mut tags: Vec<_> = seen.tags.iter().map(|sight| (sight, left(sight))).collect();
    // Those that end first matter most, then those in use.
    let order = |left: Option<f64>| left.unwrap_or(f64::INFINITY);
    tags.sort_by(|(a, x), (b, y)| {
        let moved = |sight: &TagSight| sight.per_second.is_none_or(|rate| rate <= 0.0);
        order(*x).total_cmp(&order(*y)).then(moved(a).cmp(&moved(b))).then(a.tag.cmp(&b.tag))
    });
    tags.truncate(TAGS);
    tags.sort_by_key(|(sight, _)| sight.tag);

    let mut of_rows = |name, value: fn(&TagRow) -> u64| {
        all.family(name);
        for (sight, _) in &tags {
            all.count(&[("tag", sight.tag.as_str())], value(&sight.row));
        }
    };
    of_rows("leafid_tag_position", |row| row.max_id);
    of_rows("leafid_tag_remaining_ids", TagRow::remaining);
    of_rows("leafid_tag_step_ids", |row| row.step.into());
    all.family("leafid_tag_exhaustion_seconds");
    for (sight, left) in &tags {
        left.inspect(|left| all.value(&[("tag", sight.tag.as_str())], *left));
    }
    all.one("leafid_tags_seen", seen.tags.len() as u64);
}

/// Worker numbers by state, and when they and the layout run out.
pub fn put_spaces(all: &mut Exposition, spaces: &[SpaceSight]) {
    all.family("leafid_worker_numbers");
    for space in spaces {
        for (state, count) in space.numbers.each() {
            all.count(&[("namespace", space.name.as_str()), ("state", state)], count);
        }
    }
    all.family("leafid_worker_exhaustion_seconds");
    for space in spaces {
        let left = space.per_second.map(|rate| seconds_left(space.numbers.grantable(), rate));
        left.inspect(|left| all.value(&[("namespace", space.name.as_str())], *left));
    }
    all.family("leafid_layout_exhaustion_seconds");
    for space in spaces {
        let ms = space.numbers.namespace.layout.last().since(space.numbers.now).max(0);
        all.value(&[("namespace", space.name.as_str())], ms as f64 / 1_000.0);
    }
}
