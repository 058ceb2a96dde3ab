//! What happens to a generator: draws, answers of every kind, clocks that do as they like.

use leafid_core::{Code, Range};
use proptest::prelude::*;

use crate::common::any_number;

#[derive(Clone, Debug)]
pub enum Event {
    Next,
    Fill(usize),
    /// Asks, and answers at once: a window from about now, so many ticks long.
    Grant {
        ticks: u64,
        early: u64,
        worker: u32,
    },
    /// Hears a renewal that is nearly right: another end in hand, another worker.
    Near {
        moved: i64,
        worker: u32,
    },
    Failure(Code),
    /// Hears anything at all.
    Garbage {
        ticks: Range,
        worker: u32,
        echoes: bool,
        right_store: bool,
        right_layout: bool,
    },
    Forget,
    /// The host's clock moves by so much.
    Host(i64),
    /// The store's clock moves by so much, the host's does not.
    Store(i64),
}

pub fn events() -> impl Strategy<Value = Vec<Event>> {
    let ms = || {
        prop_oneof![
            6 => 0i64..30,
            2 => -50i64..0,
            2 => prop::sample::select(&[1_000, 3_600_000, -3_600_000, 7, 10][..]),
            1 => prop::sample::select(&[i64::MIN, i64::MAX][..]),
        ]
    };
    let garbage = (any_number(), any_number(), 0u32..40, any::<[bool; 3]>());
    let event = prop_oneof![
        8 => Just(Event::Next),
        6 => (1usize..60).prop_map(Event::Fill),
        6 => (1u64..40, 0u64..4, 0u32..4)
            .prop_map(|(ticks, early, worker)| Event::Grant { ticks, early, worker }),
        2 => (-2i64..3, 0u32..2).prop_map(|(moved, worker)| Event::Near { moved, worker }),
        1 => prop::sample::select(Code::ALL).prop_map(Event::Failure),
        2 => garbage.prop_map(|(start, end, worker, [echoes, right_store, right_layout])| {
            let ticks = Range::new(start, end);
            Event::Garbage { ticks, worker, echoes, right_store, right_layout }
        }),
        1 => Just(Event::Forget),
        6 => ms().prop_map(Event::Host),
        1 => (-2_000i64..2_000).prop_map(Event::Store),
    ];
    prop::collection::vec(event, 1..80)
}
