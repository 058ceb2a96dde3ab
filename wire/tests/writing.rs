//! The output is valid JSON, whatever the values contain.

use leafid_core::Token;
use leafid_wire::{FieldWriter, tree};
use proptest::prelude::*;

#[test]
fn texts_are_escaped_and_lists_are_lists() {
    let value = tree(|writer| {
        writer.text("owner", "a\"b\\ü\u{0}\u{1f}\u{7f}\u{2028}/😀");
        writer.array("list", [1, 2], |writer, n| writer.number("n", n));
        writer.array("none", [0; 0], |writer, n| writer.number("n", n));
        writer.ids("ids", &[1, u64::MAX]);
        writer.nested("within", |writer| writer.flag("is", true));
        writer.token("request", Token::new([0xab; 16]));
    });
    assert_eq!(value["owner"], "a\"b\\ü\u{0}\u{1f}\u{7f}\u{2028}/😀");
    assert_eq!(
        (value["list"][1]["n"].as_u64(), value["none"].as_array()),
        (Some(2), Some(&vec![]))
    );
    assert_eq!(value["ids"][1], "18446744073709551615");
    assert_eq!(value["within"]["is"], true);
    assert_eq!(value["request"], "ab".repeat(16));
}

proptest! {
    #[test]
    fn every_value_reads_back(text in ".{0,20}", ms: i64, number in 0..1_u64 << 53, big: u64) {
        let value = tree(|writer| {
            writer.text("text", &text);
            writer.millis("ms", ms);
            writer.number("number", number);
            writer.big("big", big);
        });
        prop_assert_eq!(value["text"].as_str(), Some(text.as_str()));
        let most = (1 << 53) - 1;
        prop_assert_eq!(value["ms"].as_i64(), Some(ms.clamp(-most, most)));
        prop_assert_eq!(value["number"].as_u64(), Some(number));
        let big = big.to_string();
        prop_assert_eq!(value["big"].as_str(), Some(big.as_str()));
    }
}
