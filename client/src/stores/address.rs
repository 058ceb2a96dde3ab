//! Removes passwords from addresses before messages show them.

/// An address without its user and password: everything from the scheme to the last `@` is hidden,
/// since a password that is not encoded may contain an `@`, or a slash.
pub fn shown(address: &str) -> String {
    let Some((before, after)) = address.rsplit_once('@') else { return address.to_owned() };
    match before.split_once("://") {
        Some((scheme, _)) if is_scheme(scheme) => format!("{scheme}://…@{after}"),
        _ => format!("…@{after}"),
    }
}

/// A name for messages: as [`shown`] if the caller passed an address in its place.
pub fn shown_name(name: &str) -> String {
    if name.contains("://") { shown(name) } else { name.to_owned() }
}

/// Whether a text is a scheme's name, and not part of a password.
fn is_scheme(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}
