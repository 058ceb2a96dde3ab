//! Requests are read strictly, and a refusal names the field.

use leafid_core::{Code, FieldReader, Fields, Layout, Name, Range, SegmentAsk, Token};
use leafid_wire::{Invalid, Reader, Writer};

fn read(body: &str) -> Result<SegmentAsk, Invalid> {
    let mut reader = Reader::parse(body.as_bytes())?;
    reader.put_path("tag", "orders")?;
    reader.all(SegmentAsk::get)
}

#[test]
fn what_was_written_reads_back() {
    let (tag, request) = (Name::tag("orders").unwrap(), Token::new([7; 16]));
    let have_until = Some(i64::MAX as u64);
    let ask = SegmentAsk { step: Some(5), have_until, ..SegmentAsk::new(tag, request) };
    assert_eq!(read(&Writer::object(&ask)).unwrap(), ask);
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
    // Whatever is read after it.
    let two = body.replace("3}}", "3},\"workers\":{\"start\":0,\"end\":1}}");
    let read_two = |reader: &mut Reader| {
        reader.layout("layout")?;
        reader.nested("workers", Range::get)
    };
    let invalid = parse(&two).all(read_two).unwrap_err();
    assert!(invalid.detail.contains("`bits`"), "{}", invalid.detail);
    // Of an answer, a newer store's.
    assert_eq!(parse(body).known(read), Ok(Layout::new(0, 1, 41, 10, 12).ok()));
    assert_eq!(parse(r#"{"layout":"leaf"}"#).all(read), Ok(Some(Layout::LEAF)));
    let invalid = parse(r#"{"layout":"oak"}"#).all(read).unwrap_err();
    assert_eq!(invalid.code, Code::LayoutInvalid);
}
