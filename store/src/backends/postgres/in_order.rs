//! Futures that begin in their order and wait together. What the crates have for that begins many in
//! an order of its own, and a COMMIT must not overtake what it commits.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// Begins all, each before the next, and then waits for all; the outputs are in their order.
pub async fn all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut futures: Vec<Pin<Box<F>>> = futures.map(Box::pin).collect();
    let done: Vec<Poll<F::Output>> = poll_fn(|context| {
        Poll::Ready(futures.iter_mut().map(|future| future.as_mut().poll(context)).collect())
    })
    .await;
    let mut outputs = Vec::with_capacity(futures.len());
    for (future, done) in futures.into_iter().zip(done) {
        outputs.push(match done {
            Poll::Ready(output) => output,
            Poll::Pending => future.await,
        });
    }
    outputs
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::all;

    #[tokio::test]
    async fn all_begin_in_their_order_before_any_goes_on() {
        let said = RefCell::new(Vec::new());
        let say = async |n: usize| {
            said.borrow_mut().push(n);
            // Every third is done at once.
            if !n.is_multiple_of(3) {
                tokio::task::yield_now().await;
                said.borrow_mut().push(1_000 + n);
            }
            n
        };
        let gave = all((0..100).map(say)).await;
        assert_eq!(gave, (0..100).collect::<Vec<_>>());
        assert_eq!(said.borrow()[..100], (0..100).collect::<Vec<_>>());
        assert_eq!(said.borrow().len(), 166);
    }
}
