//! A line in which those with the same errand stand one behind the other, and each errand has its
//! turn: a flood of requests for one tag delays no request for another.

use std::collections::{BTreeMap, VecDeque};

/// What waits, by what it is about.
#[derive(Debug)]
pub struct Line<K, T> {
    lanes: BTreeMap<K, VecDeque<T>>,
    /// Whose turn it is: each lane that is not empty, once.
    turns: VecDeque<K>,
    len: usize,
}

impl<K, T> Default for Line<K, T> {
    fn default() -> Line<K, T> {
        Line { lanes: BTreeMap::new(), turns: VecDeque::new(), len: 0 }
    }
}

impl<K: Copy + Ord, T> Line<K, T> {
    /// How many wait.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many wait for the same.
    pub fn alike(&self, key: K) -> usize {
        self.lanes.get(&key).map_or(0, VecDeque::len)
    }

    /// Puts one at the end of its lane.
    pub fn push(&mut self, key: K, waits: T) {
        let lane = self.lanes.entry(key).or_default();
        if lane.is_empty() {
            self.turns.push_back(key);
        }
        lane.push_back(waits);
        self.len += 1;
    }

    /// The first of the lane whose turn it is.
    pub fn pop(&mut self) -> Option<T> {
        let key = self.turns.pop_front()?;
        let lane = self.lanes.get_mut(&key)?;
        let first = lane.pop_front();
        if lane.is_empty() {
            self.lanes.remove(&key);
        } else {
            self.turns.push_back(key);
        }
        self.len -= usize::from(first.is_some());
        first
    }

    /// Everybody.
    pub fn drain(&mut self) -> Vec<T> {
        std::iter::from_fn(|| self.pop()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_one_delays_no_other() {
        let mut line = Line::default();
        for n in 0..1_000 {
            line.push("flood", ("flood", n));
        }
        for n in 0..3 {
            line.push("quiet", ("quiet", n));
            line.push("third", ("third", n));
        }
        assert_eq!((line.len(), line.alike("flood"), line.alike("quiet")), (1_006, 1_000, 3));
        let first: Vec<_> = (0..9).filter_map(|_| line.pop()).collect();
        let turn = |n| [("flood", n), ("quiet", n), ("third", n)];
        assert_eq!(first, [turn(0), turn(1), turn(2)].concat());
        // The rest in the order in which it came, and a lane that was empty begins behind.
        assert_eq!(line.pop(), Some(("flood", 3)));
        line.push("quiet", ("quiet", 3));
        assert_eq!([line.pop(), line.pop()], [Some(("flood", 4)), Some(("quiet", 3))]);
        assert_eq!(line.drain().len(), 995);
        assert!(line.is_empty() && line.pop().is_none() && line.lanes.is_empty());
    }
}
