//! An answer of HTTP/2 until its client has it. A client says how much it takes in, and one that says
//! nothing would keep what it asked for here, as long as it goes on asking.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::task::{Context, Poll};

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};

use super::life::Life;

/// So much is sent at once, in bytes: as large as a frame is by default.
const PIECE: usize = 16 * 1024;

/// A body that tells how far its client has come with it.
pub struct Undelivered {
    body: Body,
    /// What came of it and is not sent.
    rest: Bytes,
    answer: Arc<Answer>,
}

/// An answer that is on its way, until all that holds a part of it is gone.
struct Answer {
    number: u64,
    life: Arc<Life>,
}

/// A part of it, until it is sent or given up.
struct Piece {
    bytes: Bytes,
    answer: Arc<Answer>,
}

impl Undelivered {
    /// The same body, told to the life of its connection.
    pub fn body(body: Body, life: Arc<Life>) -> Body {
        if body.is_end_stream() {
            return body;
        }
        static NUMBERS: AtomicU64 = AtomicU64::new(0);
        let number = NUMBERS.fetch_add(1, Relaxed);
        life.owe(number);
        let answer = Arc::new(Answer { number, life });
        Body::new(Undelivered { body, rest: Bytes::new(), answer })
    }
}

impl HttpBody for Undelivered {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        while self.rest.is_empty() {
            match Pin::new(&mut self.body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(frame) => return Poll::Ready(Some(Ok(frame))),
                },
                other => return other,
            }
        }
        let most = PIECE.min(self.rest.len());
        let piece = Piece { bytes: self.rest.split_to(most), answer: Arc::clone(&self.answer) };
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_owner(piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        self.answer.life.took(self.answer.number);
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.life.settle(self.number);
    }
}
