//! Layouts, text forms, names and tokens against reckoning in wide numbers and plain rules.

mod common;

use leafid_core::{Code, LINE_END, Layout, Name, Refusal, StoreTime, Text, Token};
use proptest::prelude::*;

use common::{any_number, check, entropy, token};

fn layouts() -> impl Strategy<Value = Layout> {
    let own = (0i64..1 << 53, 1u32..=86_400_000, 1u8..=63, 0u8..=32, 0u8..=62).prop_filter_map(
        "at most 63 bits",
        |(epoch, tick, time, worker, sequence)| {
            Layout::new(epoch, tick, time, worker, sequence).ok()
        },
    );
    let presets = vec![
        Layout::LEAF,
        Layout::EDGE,
        Layout::LONG,
        Layout::JS53,
        Layout::new(0, 1, 63, 0, 0).unwrap(),
        Layout::new(0, 1, 1, 0, 62).unwrap(),
        Layout::new(0, 86_400_000, 20, 0, 0).unwrap(),
    ];
    prop_oneof![prop::sample::select(presets), own]
}

#[test]
fn a_layout_is_built_exactly_where_its_numbers_fit() {
    let bits = || prop_oneof![4 => 0u8..40, 1 => any::<u8>()];
    let epoch = prop_oneof![any::<i64>(), -5i64..5, (1i64 << 53) - 3..(1 << 53) + 3];
    let tick = prop_oneof![any::<u32>(), 0u32..5, 86_399_998u32..86_400_003];
    let inputs = (epoch, tick, bits(), bits(), bits());
    check(
        file!(),
        4_000,
        inputs,
        &[("built", 3)],
        |(epoch, tick, time, worker, sequence), tally| {
            let together = u32::from(time) + u32::from(worker) + u32::from(sequence);
            let fits = (0..1 << 53).contains(&epoch)
                && (1..=86_400_000).contains(&tick)
                && (time >= 1 && worker <= 32 && together <= 63);
            let built = Layout::new(epoch, tick, time, worker, sequence);
            prop_assert_eq!(built.is_ok(), fits);
            prop_assert!(fits || built == Err(Code::LayoutInvalid.into()));
            tally.add("built", u64::from(fits));
            Ok(())
        },
    );
}

#[test]
fn ids_are_composed_and_taken_apart_as_wide_numbers_say() {
    let inputs = (layouts(), any_number(), any::<u32>(), any_number(), any::<bool>());
    let floors = [("inside", 20), ("outside", 20)];
    check(file!(), 4_000, inputs, &floors, |(layout, tick, worker, sequence, inside), tally| {
        let (worker, sequence, tick) = if inside {
            let worker = u64::from(worker) % layout.workers();
            (worker as u32, sequence % layout.per_tick(), tick % layout.end_tick())
        } else {
            (worker, sequence, tick)
        };
        let start = i128::from(layout.epoch_ms()) + i128::from(tick) * i128::from(layout.tick_ms());
        let Ok(ms) = i64::try_from(start) else { return Ok(()) };
        let expected = if tick >= layout.end_tick() {
            Err(Code::TimeOverflow)
        } else if u64::from(worker) >= layout.workers() {
            Err(Code::WorkerInvalid)
        } else if sequence >= layout.per_tick() {
            Err(Code::RangeInvalid)
        } else {
            let id = (u128::from(tick) << layout.worker_bits() | u128::from(worker))
                << layout.sequence_bits()
                | u128::from(sequence);
            Ok(u64::try_from(id).unwrap())
        };
        let gave = layout.compose(StoreTime::new(ms), worker, sequence);
        prop_assert_eq!(gave.map_err(|refusal| refusal.code), expected);
        let Ok(id) = expected else {
            tally.add("outside", 1);
            return Ok(());
        };
        tally.add("inside", 1);
        prop_assert!(id <= LINE_END);
        let parts = layout.decompose(id).unwrap();
        prop_assert_eq!((parts.tick, parts.worker, parts.sequence), (tick, worker, sequence));
        prop_assert_eq!(parts.time, StoreTime::new(ms));
        let (first, last) = (layout.first_id(parts.time), layout.last_id(parts.time));
        prop_assert!(first.unwrap() <= id && id <= last.unwrap());
        if let Some(after) = ms.checked_add(layout.tick_ms().into())
            && let Ok(next) = layout.first_id(StoreTime::new(after))
        {
            prop_assert_eq!(last.unwrap() + 1, next);
        }
        Ok(())
    });
}

#[test]
fn moments_and_lengths_round_as_wide_numbers_say() {
    let moment = prop_oneof![any::<i64>(), -10_000i64..10_000, Just(i64::MIN), Just(i64::MAX)];
    let inputs = (layouts(), moment, any_number(), any::<bool>());
    check(file!(), 4_000, inputs, &[("inside", 20)], |(layout, ms, length, near), tally| {
        let (epoch, tick_ms) = (i128::from(layout.epoch_ms()), i128::from(layout.tick_ms()));
        // Half of them about the ends of the layout.
        let ends = [layout.epoch_ms(), layout.last().get()];
        let ms = if near { ends[(length % 2) as usize].saturating_add(ms % 1_000) } else { ms };
        let tick = (i128::from(ms) - epoch).div_euclid(tick_ms);
        let inside = (0..i128::from(layout.end_tick())).contains(&tick);
        tally.add("inside", u64::from(inside));
        let expected = if inside { Ok(tick as u64) } else { Err(Refusal::new(Code::TimeOverflow)) };
        prop_assert_eq!(layout.tick(StoreTime::new(ms)), expected);
        if let Ok(tick) = expected {
            let begins = layout.time(tick).get();
            prop_assert!(begins <= ms && i128::from(ms) < i128::from(begins) + tick_ms);
        }
        prop_assert_eq!(layout.ticks(length), length.div_ceil(layout.tick_ms().into()));
        prop_assert_eq!(layout.tick(layout.last()).is_ok(), true);
        Ok(())
    });
}

#[test]
fn ids_are_taken_apart_exactly_where_they_have_no_bits_above() {
    check(file!(), 2_000, (layouts(), any_number()), &[], |(layout, id), _| {
        let bits = layout.time_bits() + layout.worker_bits() + layout.sequence_bits();
        let fits = id < 1 << bits;
        match layout.decompose(id) {
            Ok(parts) => {
                prop_assert!(fits);
                // Where the beginning of its tick is a moment at all.
                if layout.tick(parts.time) == Ok(parts.tick) {
                    let again = layout.compose(parts.time, parts.worker, parts.sequence);
                    prop_assert_eq!(again, Ok(id));
                }
            }
            Err(refusal) => prop_assert!(!fits && refusal.code == Code::IdInvalid),
        }
        Ok(())
    });
}

#[test]
fn texts_are_read_exactly_where_they_are_written_so() {
    let text = prop_oneof![
        "[0-9]{0,21}",
        "[0-9A-Z]{13}",
        "[0-7][0-9A-HJKMNP-TV-Z]{12}",
        "[ +\\-0-9a-z]{0,14}",
        ".{0,14}",
        any_number().prop_map(|n| n.to_string()),
    ];
    let floors = [("decimal", 10), ("base32", 10)];
    check(file!(), 6_000, text, &floors, |text, tally| {
        let canonical = text.parse::<u64>().ok().filter(|id| id.to_string() == text);
        let expected = canonical.filter(|id| *id <= LINE_END).ok_or(Code::IdInvalid.into());
        let decimal = Text::parse_decimal(&text);
        prop_assert_eq!(decimal, expected);
        if let Ok(id) = decimal {
            tally.add("decimal", 1);
            let written = Text::decimal(id).unwrap();
            prop_assert_eq!(written.as_str(), text.as_str());
        }
        let alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
        let digits: Option<Vec<_>> = text.chars().map(|letter| alphabet.find(letter)).collect();
        let expected = digits
            .filter(|digits| digits.len() == 13)
            .map(|digits| digits.iter().fold(0u128, |id, digit| id << 5 | *digit as u128))
            .and_then(|id| u64::try_from(id).ok())
            .filter(|id| *id <= LINE_END)
            .ok_or(Code::IdInvalid.into());
        let base32 = Text::parse_base32(&text);
        prop_assert_eq!(base32, expected);
        if let Ok(id) = base32 {
            tally.add("base32", 1);
            let written = Text::base32(id).unwrap();
            prop_assert_eq!(written.as_str(), text.as_str());
        }
        Ok(())
    });
}

#[test]
fn names_and_tokens_are_read_exactly_where_they_match() {
    let text = prop_oneof![
        "[A-Za-z0-9._:-]{0,130}",
        "[A-Za-z0-9._:-]{126,131}",
        ".{0,20}",
        "[0-9a-f]{31,33}",
        "[0-9a-fA-F]{32}",
    ];
    check(file!(), 4_000, text, &[("names", 10), ("tokens", 4)], |text, tally| {
        let alphanumeric = |letter: char| letter.is_ascii_alphanumeric();
        let matches = text.len() <= 128
            && text.starts_with(alphanumeric)
            && text.chars().all(|letter| alphanumeric(letter) || "._:-".contains(letter));
        tally.add("names", u64::from(matches));
        let label = !text.is_empty() && text.len() <= 128 && !text.contains(char::is_control);
        for (read, right, code) in [
            (Name::tag(&text), matches, Code::TagInvalid),
            (Name::namespace(&text), matches, Code::NamespaceInvalid),
            (Name::owner(&text), label, Code::RequestInvalid),
        ] {
            prop_assert_eq!(read.is_ok(), right);
            match read {
                Ok(name) => prop_assert_eq!(name.as_str(), text.as_str()),
                Err(refusal) => prop_assert_eq!(refusal.code, code),
            }
        }
        let hex = text.len() == 32
            && text.chars().all(|digit| digit.is_ascii_digit() || ('a'..='f').contains(&digit));
        let read = Token::parse(&text);
        prop_assert_eq!(read.is_ok(), hex);
        if let Ok(read) = read {
            tally.add("tokens", 1);
            prop_assert_eq!(&read.to_hex(), text.as_bytes());
        }
        Ok(())
    });
    assert_eq!(token(5).bytes(), entropy(5));
}
