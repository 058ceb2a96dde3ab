//! The request that a client sends.

use leafid_core::{Ask, Release};

use super::path;
use super::writer::Writer;

/// A POST request: its path and its JSON body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The path below the store's address.
    pub path: String,
    /// The body, without the names that are in the path.
    pub body: String,
}

impl Call {
    /// The call that carries an ask.
    ///
    /// ```
    /// use leafid_core::{Ask, Name, SegmentAsk, Token};
    /// use leafid_wire::Call;
    ///
    /// let (tag, request) = (Name::tag("orders")?, Token::new([7; 16]));
    /// let ask = SegmentAsk { step: Some(50), ..SegmentAsk::new(tag, request) };
    /// let call = Call::ask(&Ask::Segment(ask));
    /// assert_eq!(call.path, "/v1/segments/orders/lease");
    /// assert_eq!(call.body, r#"{"request":"07070707070707070707070707070707","step":50}"#);
    /// # Ok::<(), leafid_core::Refusal>(())
    /// ```
    pub fn ask(ask: &Ask) -> Call {
        match ask {
            Ask::Segment(ask) => {
                Call { path: path::lease(ask.tag), body: Writer::body(ask, "tag") }
            }
            Ask::Acquire(ask) => {
                Call { path: path::acquire(ask.namespace), body: Writer::body(ask, "namespace") }
            }
            Ask::Renew(ask) => {
                Call { path: path::renew(ask.namespace), body: Writer::body(ask, "namespace") }
            }
        }
    }

    /// The call that gives a window back.
    pub fn release(release: &Release) -> Call {
        Call { path: path::release(release.namespace), body: Writer::body(release, "namespace") }
    }
}
