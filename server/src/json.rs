//! The core's fields as JSON: written straight into a text, read out of a parsed object.

mod reader;
mod unique;
mod writer;

pub use reader::{Reader, whole};
pub use unique::Unique;
pub use writer::Writer;

/// A user's text, cut to a length that a message can carry.
pub fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(80).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;
    use leafid_core::{Code, FieldReader, FieldWriter, Fields, Layout, Name, SegmentAsk, Token};
    use serde_json::Value;

    fn read(body: &str) -> Result<SegmentAsk, Problem> {
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
            (format!("{{{request},\"step\":1,\"step\":1}}"), "field `step` is given twice"),
            (format!("{{{request},\"x\":[{{\"y\":1,\"y\":2}}]}}"), "field `y` is given twice"),
            ("{}".to_owned(), "request"),
            ("[]".to_owned(), "object"),
            ("{".to_owned(), "not JSON"),
        ] {
            let problem = read(&body).unwrap_err();
            assert_eq!(problem.code, Code::RequestInvalid, "{body}");
            assert!(problem.detail.contains(word), "{body}: {}", problem.detail);
        }
    }

    #[test]
    fn an_unknown_field_within_a_layout_is_found() {
        let body = r#"{"layout":{"epoch_ms":0,"tick_ms":1,"time_bits":41,"worker_bits":10,
            "sequence_bits":12,"bits":3}}"#;
        let read = |reader: &mut Reader| reader.layout("layout");
        let problem = Reader::parse(body.as_bytes()).unwrap().all(read).unwrap_err();
        assert!(problem.detail.contains("`bits`"), "{}", problem.detail);
        let two = body.replace("3}}", "3},\"workers\":{\"start\":0,\"end\":1}}");
        let read_two = |reader: &mut Reader| {
            reader.layout("layout")?;
            reader.nested("workers", leafid_core::Range::get)
        };
        let problem = Reader::parse(two.as_bytes()).unwrap().all(read_two).unwrap_err();
        assert!(problem.detail.contains("`bits`"), "{}", problem.detail);
        let leaf = Reader::parse(br#"{"layout":"leaf"}"#).unwrap().all(read).unwrap();
        assert_eq!(leaf, Some(Layout::LEAF));
        let problem = Reader::parse(br#"{"layout":"oak"}"#).unwrap().all(read).unwrap_err();
        assert_eq!(problem.code, Code::LayoutInvalid);
    }

    #[test]
    fn texts_are_escaped() {
        let mut writer = Writer::default();
        writer.text("owner", "a\"b\\ü");
        writer.array("list", [1, 2], |writer, n| writer.number("n", n));
        writer.ids("ids", &[1, u64::MAX]);
        let text = writer.end();
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["owner"], "a\"b\\ü");
        assert_eq!(value["list"][1]["n"], 2);
        assert_eq!(value["ids"][1], "18446744073709551615");
    }
}
