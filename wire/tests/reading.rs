//! Reading: the same for requests and answers, but that a request may have no unknown field. And writing.

use leafid_core::{Code, Layout, Range, Refusal, SegmentAsk, Token};
use leafid_wire::{FieldReader, FieldWriter, Fields, Problem, Reader, tree};

/// The value of a field in this form, as text; `None` if it is refused.
fn both<T: std::fmt::Debug + PartialEq>(
    body: &str,
    read: fn(&mut Reader) -> Result<Option<T>, Refusal>,
) -> Option<Option<T>> {
    let parse = || Reader::parse(body.as_bytes());
    let asked = parse().and_then(|from| from.all(read)).ok();
    let answered = parse().and_then(|from| from.known(read)).ok();
    assert_eq!(asked, answered, "{body}");
    asked
}

fn number(text: &str) -> Option<Option<u64>> {
    both(&format!("{{\"x\":{text}}}"), |from| from.number("x"))
}

fn small(text: &str) -> Option<Option<u32>> {
    both(&format!("{{\"x\":{text}}}"), |from| from.small("x"))
}

fn millis(text: &str) -> Option<Option<i64>> {
    both(&format!("{{\"x\":{text}}}"), |from| from.millis("x"))
}

fn big(text: &str) -> Option<Option<u64>> {
    both(&format!("{{\"x\":{text}}}"), |from| from.big("x"))
}

fn text(text: &str) -> Option<Option<String>> {
    both(&format!("{{\"x\":{text}}}"), |from| from.text("x", str::to_owned))
}

/// A store in another language may write `5.0`.
#[test]
fn a_whole_number_is_one_however_it_is_written() {
    for five in ["5", "5.0", "5e0", "50e-1", "0.5E1", "5.000"] {
        assert_eq!(number(five), Some(Some(5)), "{five}");
        assert_eq!(small(five), Some(Some(5)), "{five}");
        assert_eq!(millis(five), Some(Some(5)), "{five}");
    }
    for zero in ["0", "-0", "0.0", "-0.0", "0e9"] {
        assert_eq!(number(zero), Some(Some(0)), "{zero}");
        assert_eq!(millis(zero), Some(Some(0)), "{zero}");
    }
    assert_eq!(millis("-5.0"), Some(Some(-5)));
    for wrong in ["5.5", "-5", "1e30", "1e400", "05", "+5", "5.", ".5", "0x5", "\"5\"", "[5]"] {
        assert_eq!(number(wrong), None, "{wrong}");
    }
    for wrong in ["4294967296", "4294967296.0", "4.294967296e9"] {
        assert_eq!(small(wrong), None, "{wrong}");
    }
}

/// Beyond 2^53 - 1 the writer may have rounded a number, in either form.
#[test]
fn a_number_that_may_be_rounded_is_none() {
    for most in ["9007199254740991", "9007199254740991.0", "9.007199254740991e15"] {
        assert_eq!(number(most), Some(Some((1 << 53) - 1)), "{most}");
        assert_eq!(millis(&format!("-{most}")), Some(Some(1 - (1 << 53))), "{most}");
    }
    for beyond in [
        "9007199254740992",
        "9007199254740992.0",
        "9007199254740993",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "1e19",
    ] {
        assert_eq!(number(beyond), None, "{beyond}");
        assert_eq!(millis(beyond), None, "{beyond}");
        assert_eq!(millis(&format!("-{beyond}")), None, "-{beyond}");
    }
}

/// A 64-bit number must be a text: as a JSON number it may have been rounded.
#[test]
fn an_id_is_a_decimal_text() {
    assert_eq!(big("\"0\""), Some(Some(0)));
    assert_eq!(big("\"1001\""), Some(Some(1001)));
    // Beyond 63 bits it is read, so that the registry can report what is wrong.
    assert_eq!(big("\"18446744073709551615\""), Some(Some(u64::MAX)));
    for wrong in [
        "1001",
        "1001.0",
        "\"\"",
        "\"01\"",
        "\"+1\"",
        "\"-1\"",
        "\"1 \"",
        "\"1.0\"",
        "\"1e3\"",
        "\"18446744073709551616\"",
        "\"\u{0661}\"",
        "true",
        "[]",
        "{}",
    ] {
        assert_eq!(big(wrong), None, "{wrong}");
    }
    // Escapes are resolved before the digits are read.
    assert_eq!(big(r#""\u0031""#), Some(Some(1)));
}

/// A repeated field is refused: of two ends, which is granted?
#[test]
fn a_field_that_is_given_twice_is_refused_at_any_depth() {
    for (twice, field) in [
        (r#"{"x":1,"x":1}"#, "x"),
        (r#"{"x":1,"x":null}"#, "x"),
        (r#"{"x":1,"\u0078":2}"#, "x"),
        (r#"{"x":1,"y":{"z":1,"z":2}}"#, "z"),
        (r#"{"x":1,"y":[[{"z":1,"z":2}]]}"#, "z"),
        (r#"{"x":1,"":1,"":1}"#, ""),
    ] {
        assert_eq!(both(twice, |from| from.number("x")), None, "{twice}");
        let invalid = Reader::parse(twice.as_bytes()).unwrap_err();
        assert_eq!(invalid.detail.split(';').next_back(), Some(" send it once"), "{twice}");
        assert!(invalid.detail.contains(&format!("field `{field}` is given twice")), "{twice}");
    }
    // The same name in two objects is fine.
    let apart = r#"{"x":1,"y":{"x":2}}"#;
    assert_eq!(Reader::parse(apart.as_bytes()).unwrap().known(|f| f.number("x")), Ok(Some(1)));
}

#[test]
fn null_is_absent_in_every_form() {
    assert_eq!((number("null"), small("null")), (Some(None), Some(None)));
    assert_eq!((millis("null"), big("null")), (Some(None), Some(None)));
    assert_eq!(text("null"), Some(None));
    assert_eq!(both("{\"x\":null}", |from| from.flag("x")), Some(None));
    assert_eq!(both("{\"x\":null}", |from| from.token("x")), Some(None));
    assert_eq!(both("{\"x\":null}", |from| from.layout("x")), Some(None));
    assert_eq!(both("{\"x\":null}", |from| from.nested("x", |_| Ok(()))), Some(None));
}

/// No depth overflows the stack; nesting deeper than in any answer is refused.
#[test]
fn a_deep_body_is_refused() {
    let nested = |depth: usize| {
        let (open, close) = ("{\"y\":[".repeat(depth), "]}".repeat(depth));
        format!("{{\"x\":1,\"y\":{open}{close}}}")
    };
    let known = |body: &str| {
        Reader::parse(body.as_bytes()).and_then(|from| from.known(|from| from.number("x")))
    };
    assert_eq!(known(&nested(8)), Ok(Some(1)));
    for depth in [64, 1_000, 100_000] {
        assert!(known(&nested(depth)).unwrap_err().detail.contains("not JSON"), "{depth}");
        assert!(known(&"[".repeat(depth * 4)).is_err(), "{depth}");
    }
}

fn read(body: &str) -> Result<SegmentAsk, Problem> {
    let mut reader = Reader::parse(body.as_bytes())?;
    reader.put_path("tag", "orders")?;
    reader.all(SegmentAsk::get)
}

#[test]
fn a_field_that_is_misspelt_missing_or_of_another_type_is_named() {
    let request = r#""request":"000102030405060708090a0b0c0d0e0f""#;
    for (body, word) in [
        (format!("{{{request},\"have_untill\":\"7\"}}"), "have_untill"),
        (format!("{{{request},\"have_until\":7}}"), "have_until"),
        (format!("{{{request},\"step\":1.5}}"), "step"),
        (format!("{{{request},\"step\":-1}}"), "step"),
        (format!("{{{request},\"step\":9007199254740992}}"), "step"),
        (format!("{{{request},\"tag\":\"other\"}}"), "other"),
        ("{}".to_owned(), "request"),
        ("[]".to_owned(), "object"),
        ("{".to_owned(), "not JSON"),
        (String::new(), "no body"),
    ] {
        let invalid = read(&body).unwrap_err();
        assert_eq!(invalid.code, Code::RequestInvalid, "{body}");
        assert!(invalid.detail.contains(word), "{body}: {}", invalid.detail);
    }
}

#[test]
fn an_unknown_field_within_a_layout_is_found() {
    let body = r#"{"layout":{"epoch_ms":0,"tick_ms":1,"time_bits":41,"worker_bits":10,
        "sequence_bits":12,"bits":3}}"#;
    let read = |reader: &mut Reader| reader.layout("layout");
    let parse = |body: &str| Reader::parse(body.as_bytes()).unwrap();
    let invalid = parse(body).all(read).unwrap_err();
    assert!(invalid.detail.contains("`bits`"), "{}", invalid.detail);
    // Also if more is read later.
    let two = body.replace("3}}", "3},\"workers\":{\"start\":0,\"end\":1}}");
    let read_two = |reader: &mut Reader| {
        reader.layout("layout")?;
        reader.nested("workers", Range::get)
    };
    let invalid = parse(&two).all(read_two).unwrap_err();
    assert!(invalid.detail.contains("`bits`"), "{}", invalid.detail);
    // In an answer it may be a newer store's.
    assert_eq!(parse(body).known(read), Ok(Layout::new(0, 1, 41, 10, 12).ok()));
    assert_eq!(parse(r#"{"layout":"leaf"}"#).all(read), Ok(Some(Layout::LEAF)));
    let invalid = parse(r#"{"layout":"oak"}"#).all(read).unwrap_err();
    assert_eq!(invalid.code, Code::LayoutInvalid);
}

/// The output is valid JSON, whatever the values contain.
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
