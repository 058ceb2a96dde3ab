//! Logs refusals that an operator must see: signs of lost grants, or of two stores behind one name.

use leafid_core::{Code, Token};

use crate::problem::Problem;
use crate::rate::Rate;
use leafid_turn::groups::Scope;
use leafid_turn::hex;

static CHANGED: Rate = Rate::new();
static TAG_LOST: Rate = Rate::new();
static WORKER_LOST: Rate = Rate::new();

pub fn hear(problem: &Problem, scope: Scope, named: Option<Token>, store: Token) {
    match problem.code {
        Code::StoreWentBack => went_back(problem, scope),
        Code::StoreChanged => changed(scope, named, store),
        _ => {}
    }
}

fn went_back(problem: &Problem, scope: Scope) {
    // A claim that is no higher than an earlier one is no news.
    if problem.figure("claimed_until") >= problem.figure("have_until") {
        return;
    }
    let is_tag = matches!(scope, Scope::Tag(_));
    let rate = if is_tag { &TAG_LOST } else { &WORKER_LOST };
    // The first claim that stops a tag is logged even if the rate is exceeded.
    let stops = is_tag && problem.figure("claimed_until").is_none();
    let left_out = match rate.admit(problem.code) {
        Some(left_out) => left_out,
        None if stops => 0,
        None => return,
    };
    let have_until = problem.figure("have_until");
    let what = "STORE_WENT_BACK: a holder has more than this store ever granted, so the store \
                has lost grants, or the holder is wrong";
    match scope {
        Scope::Tag(tag) => {
            let max_id = problem.figure("max_id");
            tracing::error!(
                %tag, have_until, max_id, left_out,
                "{what}; nothing is leased from the tag until it is moved above its largest \
                 number in use (leafid tag advance), or all tags are (leafid repair)"
            );
        }
        Scope::Worker(namespace, worker) => {
            let reserved_until = problem.figure("reserved_until");
            tracing::error!(
                %namespace, worker, have_until, reserved_until, left_out,
                "{what}; the number rests until all that may have been granted of it is over"
            );
        }
        _ => {}
    }
}

fn changed(scope: Scope, named: Option<Token>, store: Token) {
    let Some(left_out) = CHANGED.admit(Code::StoreChanged) else { return };
    let (named, store) = (named.map_or_else(String::new, hex), hex(store));
    let what = "STORE_CHANGED: a holder knows another store by this name; find out which of \
                the two it was meant to ask";
    match scope {
        Scope::Tag(tag) => tracing::error!(%tag, named, store, left_out, "{what}"),
        Scope::Namespace(namespace) | Scope::Worker(namespace, _) => {
            tracing::error!(%namespace, named, store, left_out, "{what}");
        }
        _ => {}
    }
}
