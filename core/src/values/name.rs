//! Names of fixed size: tags, namespaces and owners, each at most 128 bytes. They are checked once,
//! when they are made.

use crate::values::{Code, Refusal};
use core::fmt;

/// The most bytes that a name holds.
pub const NAME_BYTES: usize = 128;

/// A tag, a namespace or an owner, held inline as there is no allocator: 129 bytes. Upper and lower
/// case differ.
///
/// Tags and namespaces match `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`, so that they fit a URL and a log
/// line without quoting. An owner is a label for people, with fewer rules:
///
/// ```
/// use leafid_core::{Code, Name};
/// assert_eq!(Name::tag("orders:eu-1.v2")?.as_str(), "orders:eu-1.v2");
/// for refused in ["", ".orders", "my orders", "orders/eu", "größe", &"x".repeat(129)] {
///     assert_eq!(Name::tag(refused).unwrap_err().code, Code::TagInvalid);
///     assert_eq!(Name::namespace(refused).unwrap_err().code, Code::NamespaceInvalid);
/// }
///
/// assert_eq!(Name::owner("my host/größe 17")?.as_str(), "my host/größe 17");
/// for refused in ["", "line\nbreak", &"x".repeat(129)] {
///     assert_eq!(Name::owner(refused).unwrap_err().code, Code::RequestInvalid);
/// }
/// # Ok::<(), leafid_core::Refusal>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    bytes: [u8; NAME_BYTES],
    len: u8,
}

impl Name {
    /// No name: the owner of a row without a holder.
    pub const EMPTY: Name = Name { bytes: [0; NAME_BYTES], len: 0 };

    /// Reads the name of a tag.
    ///
    /// # Errors
    /// `TAG_INVALID` unless it matches `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`.
    pub fn tag(text: &str) -> Result<Name, Refusal> {
        Name::matching(text).ok_or(Refusal::new(Code::TagInvalid))
    }

    /// Reads the name of a namespace.
    ///
    /// # Errors
    /// `NAMESPACE_INVALID` unless it matches `[A-Za-z0-9][A-Za-z0-9._:-]{0,127}`.
    pub fn namespace(text: &str) -> Result<Name, Refusal> {
        Name::matching(text).ok_or(Refusal::new(Code::NamespaceInvalid))
    }

    /// Reads the label of a holder, such as `hostname/pid`. It is no proof of identity; the key is.
    ///
    /// # Errors
    /// `REQUEST_INVALID` unless it has 1 to 128 bytes without control characters.
    pub fn owner(text: &str) -> Result<Name, Refusal> {
        if text.is_empty() || text.chars().any(char::is_control) {
            return Err(Code::RequestInvalid.into());
        }
        Name::held(text).ok_or(Refusal::new(Code::RequestInvalid))
    }

    fn matching(text: &str) -> Option<Name> {
        let mut bytes = text.bytes();
        let first = bytes.next()?;
        let fits = first.is_ascii_alphanumeric()
            && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'-'));
        if fits { Name::held(text) } else { None }
    }

    fn held(text: &str) -> Option<Name> {
        let mut name = Name::EMPTY;
        name.bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        name.len = u8::try_from(text.len()).ok()?;
        Some(name)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        let bytes = self.bytes.get(..usize::from(self.len)).unwrap_or(&[]);
        core::str::from_utf8(bytes).unwrap_or("")
    }

    /// Whether it is [`Name::EMPTY`].
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.as_str())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
