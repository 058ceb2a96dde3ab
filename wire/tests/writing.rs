//! The output is valid JSON, whatever the values contain.

use leafid_core::Token;
use leafid_wire::{FieldWriter, tree};

#[test]
fn texts_are_escaped_and_lists_are_lists() {
    let value = tree(|writer| {
        writer.text("owner", "a\"b\\ü\u{0}\u{1f}\u{7f}\u{2028}/😀");
        writer.array("list", [1, 2], |writer, n| writer.number("n", n));
        writer.array("none", [0; 0], |writer, n| writer.number("n", n));
        writer.ids("ids", &[1, u64::MAX]);
        writer.nested("within", |writer| writer.flag("is", true));
        writer.token("request", Token::new([0xab; 16]));
        writer.millis("ms", i64::MIN);
    });
    assert_eq!(value["owner"], "a\"b\\ü\u{0}\u{1f}\u{7f}\u{2028}/😀");
    assert_eq!(
        (value["list"][1]["n"].as_u64(), value["none"].as_array()),
        (Some(2), Some(&vec![]))
    );
    assert_eq!(value["ids"][1], "18446744073709551615");
    assert_eq!(value["within"]["is"], true);
    assert_eq!(value["request"], "ab".repeat(16));
    // Beyond that a reader may round.
    assert_eq!(value["ms"], 1 - (1_i64 << 53));
}
