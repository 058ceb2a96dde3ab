//! Drives generators by handle, as a host with its own objects does.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use leafid_bindings::{ASK_IS_DUE, Handles, Object, Reading, Value, answer};
use leafid_core::{Code, HostTime, Stats};

/// A host's object; reading a field runs `on_get` first, as a getter would.
#[derive(Clone, Default)]
struct Plain {
    fields: Rc<RefCell<BTreeMap<&'static str, Field>>>,
    on_get: Option<Rc<dyn Fn()>>,
}

#[derive(Clone)]
enum Field {
    Number(f64),
    Big(u64),
    Text(String),
}

impl Object for Plain {
    fn get(&self, field: &'static str) -> Value<'static, Plain> {
        if let Some(act) = &self.on_get {
            act();
        }
        match self.fields.borrow().get(field).cloned() {
            None => Value::Absent,
            Some(Field::Number(number)) => Value::Number(number),
            Some(Field::Big(big)) => Value::Big(big),
            Some(Field::Text(text)) => Value::Owned(text),
        }
    }

    fn set(&mut self, field: &'static str, value: Value<'_, Plain>) {
        let value = match value {
            Value::Number(number) => Field::Number(number),
            Value::Big(big) => Field::Big(big),
            Value::Text(text) => Field::Text(text.to_owned()),
            _ => panic!("no other form is written here"),
        };
        self.fields.borrow_mut().insert(field, value);
    }

    fn empty(&self) -> Option<Plain> {
        Some(Plain::default())
    }
}

fn object(fields: &[(&'static str, Field)]) -> Plain {
    let fields = fields.iter().cloned().collect();
    Plain { fields: Rc::new(RefCell::new(fields)), on_get: None }
}

fn text(value: &str) -> Field {
    Field::Text(value.to_owned())
}

fn at(ms: i64) -> HostTime {
    HostTime::new(ms)
}

const REQUEST: &str = "01010101010101010101010101010101";

fn grant(end: u64) -> Plain {
    object(&[
        ("request", text(REQUEST)),
        ("store", text("5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a")),
        ("tag", text("orders")),
        ("start", Field::Big(1)),
        ("end", Field::Big(end)),
        ("step", Field::Number(10.0)),
        ("max_step", Field::Number(100.0)),
        ("now_ms", Field::Number(1_800_000_000_000.0)),
    ])
}

fn asking() -> Handles {
    let handles = Handles::new();
    let config = object(&[("tag", text("orders"))]);
    handles.create(1, "segment", Reading::new(config), 7).expect("a segment");
    assert!(handles.poll(1, at(0), &[1; 16]).is_some());
    handles
}

#[test]
fn a_getter_may_call_back_while_an_answer_is_read() {
    let handles = Rc::new(asking());
    let again = Rc::clone(&handles);
    let asked = Rc::new(RefCell::new(0));
    let count = Rc::clone(&asked);
    let back = move || {
        assert!(again.stats(1).is_ok());
        *count.borrow_mut() += 1;
    };
    let answer = Plain { on_get: Some(Rc::new(back)), ..grant(11) };
    handles.handle_grant(1, REQUEST, Reading::new(answer), at(0), at(0)).expect("a grant");
    assert!(*asked.borrow() > 0);
    let mut ids = [0; 10];
    assert_eq!(handles.fill(1, at(0), &mut ids) & !ASK_IS_DUE, 10);
    assert_eq!(ids, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
}

#[test]
fn an_answer_that_cannot_be_read_names_its_field_and_fails_its_ask() {
    let handles = asking();
    let broken = grant(11);
    broken.fields.borrow_mut().insert("end", text("011"));
    let wrong = handles.handle_grant(1, REQUEST, Reading::new(broken), at(0), at(0)).unwrap_err();
    assert_eq!((wrong.refusal.code, wrong.field, wrong.of), (Code::GrantInvalid, "end", "grant"));
    assert_eq!(handles.failing(1), Some(Code::GrantInvalid));
    let shown = answer(Plain::default(), Err::<Stats, _>(wrong));
    let fields = shown.fields.borrow();
    assert!(matches!(fields.get("code"), Some(Field::Text(code)) if code == "GRANT_INVALID"));
    assert!(matches!(fields.get("field"), Some(Field::Text(field)) if field == "end"));
}

#[test]
fn a_handle_that_names_nothing_is_a_closed_generator() {
    let handles = asking();
    handles.free(1);
    let mut ids = [0; 2];
    assert_eq!(handles.fill(1, at(0), &mut ids), 0);
    assert_eq!(handles.refusal(1).refusal.code, Code::Closed);
    assert_eq!(handles.stats(1).unwrap_err().refusal.code, Code::Closed);
    assert!(!handles.wants(1, at(0)) && handles.look(1, at(0), at(9_000)) == 0);
}

#[test]
fn a_kind_that_nobody_knows_is_no_snowflake() {
    let config = object(&[("namespace", text("n")), ("owner", text("me"))]);
    let handles = Handles::new();
    let refused = handles.create(1, "snowflakes", Reading::new(config.clone()), 7).unwrap_err();
    assert_eq!(refused.refusal.code, Code::RequestInvalid);
    assert!(handles.create(1, "snowflake", Reading::new(config), 7).is_ok());
}

#[test]
fn what_another_instance_knew_is_taken_over_or_refused_with_its_code() {
    let handles = Handles::new();
    let config = object(&[("namespace", text("n")), ("owner", text("me"))]);
    handles.create(1, "snowflake", Reading::new(config.clone()), 7).expect("a snowflake");
    let configured = [("namespace", text("n")), ("owner", text("me")), ("layout", text("leaf"))];
    handles.create(2, "snowflake", Reading::new(object(&configured)), 7).expect("a snowflake");
    let none = || Reading::new(object(&[]));
    let resumed = |handle, before: Plain, highest, layout: Option<Plain>| {
        let refused =
            handles.resume(handle, Reading::new(before), highest, layout.map(Reading::new));
        refused.map_err(|wrong| (wrong.refusal.code, wrong.field, wrong.of))
    };
    let highest = Some(2_124_058_566_972_174_397);
    let unread = (Code::RequestInvalid, "position", "carryover");
    assert_eq!(resumed(1, object(&[("position", text("007"))]), None, None), Err(unread));
    let width = (Code::RequestInvalid, "epoch_ms", "layout");
    assert_eq!(resumed(1, object(&[]), highest, Some(object(&[]))), Err(width));
    assert_eq!(resumed(1, object(&[]), highest, None), Err((Code::RequestInvalid, "", "")));
    assert_eq!(handles.carryover(1).position, 0);
    // The generator's own layout, if known.
    assert_eq!(resumed(2, object(&[]), highest, None), Ok(()));
    assert!(handles.carryover(2).position > 0);
    let closed = handles.resume(9, none(), None, None).unwrap_err();
    assert_eq!(closed.refusal.code, Code::Closed);
}
