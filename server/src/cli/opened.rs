//! What a server says of the stores that it opens.

use leafid_store::hex::hex;
use leafid_store::registry::Registry;
use leafid_store::store::Store;
use leafid_store::store::parted::Kept;

use super::say;

/// Who does not listen any more stops no server.
pub fn tell(line: impl std::fmt::Display) {
    let _ = say(line);
}

/// Says that a store is open, and for what it is.
pub fn opened(store: &Registry, kept: Option<Kept>) {
    tell(first_line(store, kept));
    let (place, found) = (store.place(), store.found());
    match kept {
        Some(Kept::Tags) if found.last_grant.is_some() => tracing::warn!(
            place,
            "the store of --tags has granted worker numbers itself, and does not know those that the \
             store of --workers grants: IDs can be handed out twice; give the namespaces there other \
             numbers: leafid namespace set NS --workers FIRST..END"
        ),
        Some(Kept::Workers) if found.tags > 0 => tracing::warn!(
            place,
            tags = found.tags,
            "the store of --workers has tags, which are not served; a tag of the same name in the \
             store of --tags is another line: move it past them with leafid tag advance"
        ),
        _ => {}
    }
}

/// What is served: an operator sees at once whether it is the store that was meant.
fn first_line(store: &Registry, kept: Option<Kept>) -> String {
    let found = store.found();
    let opened = if found.created { "created" } else { "opened" };
    let (place, id) = (store.place(), hex(store.id()));
    let version = env!("CARGO_PKG_VERSION");
    let purpose = kept.map_or_else(String::new, |kept| format!(" for {}", kept.words()));
    format!("leafid: version {version}, {opened} {place}{purpose}, store id {id}: {found}")
}
