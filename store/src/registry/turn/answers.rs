//! Answers that wait for a moment in which the store's thread has nothing else to do.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use crate::registry::job::Job;

/// Requests that are done, durably, and not answered yet. To wake those who asked takes longer than to
/// decide what they ask next, so it is done while the database writes that.
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

    /// Waits for something, and answers all meanwhile if there is a wait.
    pub async fn during<T>(&mut self, wait: impl Future<Output = T>) -> T {
        let mut wait = pin!(wait);
        if self.0.is_empty() {
            return wait.await;
        }
        if let Poll::Ready(done) = poll_fn(|context| Poll::Ready(wait.as_mut().poll(context))).await
        {
            return done;
        }
        // What sends it may be another task of this thread.
        tokio::task::yield_now().await;
        self.send();
        wait.await
    }
}
