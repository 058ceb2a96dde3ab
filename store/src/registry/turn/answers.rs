//! Durable answers that are sent while the store's thread waits for the database.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use crate::registry::job::Job;

/// Requests that are durable and not answered yet. Waking their callers takes longer than deciding the next
/// requests, so it happens while the database writes those.
#[derive(Default)]
pub struct Answers(Vec<Job>);

impl Answers {
    pub fn put(&mut self, job: Job) {
        self.0.push(job);
    }

    pub fn send(&mut self) {
        for job in self.0.drain(..) {
            job.answer(Ok(()));
        }
    }

    /// Awaits a future, and sends all answers meanwhile if it does not complete at once.
    pub async fn during<T>(&mut self, wait: impl Future<Output = T>) -> T {
        let mut wait = pin!(wait);
        if self.0.is_empty() {
            return wait.await;
        }
        if let Poll::Ready(done) = poll_fn(|context| Poll::Ready(wait.as_mut().poll(context))).await
        {
            return done;
        }
        // The task that sends the request may need this thread.
        tokio::task::yield_now().await;
        self.send();
        wait.await
    }
}
