//! Counts overlapping ranges.

/// Counts the ranges that begin below the end of another.
pub fn overlaps(mut ranges: Vec<(u64, u64)>) -> usize {
    ranges.sort_unstable();
    let mut end = 0;
    let begins_below = |(from, until): &(u64, u64)| {
        let below = *from < end;
        end = end.max(*until);
        below
    };
    ranges.iter().map(begins_below).filter(|below| *below).count()
}

#[test]
fn ranges_that_overlap_are_counted() {
    assert_eq!(overlaps(vec![(1, 5), (9, 12), (5, 9)]), 0);
    assert_eq!(overlaps(vec![(1, 5), (4, 6), (2, 3)]), 2);
}
