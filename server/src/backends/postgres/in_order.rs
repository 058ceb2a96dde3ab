//! Futures that begin in their order and wait together. What the crates have for that begins many in
//! an order of its own, and a COMMIT must not overtake what it commits.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

/// Begins all, each before the next, and then waits for all; the outputs are in their order.
pub async fn all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut futures: Vec<(Pin<Box<F>>, Option<F::Output>)> =
        futures.map(|future| (Box::pin(future), None)).collect();
    poll_fn(|context| {
        for (future, output) in &mut futures {
            if let Poll::Ready(done) = future.as_mut().poll(context) {
                *output = Some(done);
            }
        }
        Poll::Ready(())
    })
    .await;
    let mut outputs = Vec::with_capacity(futures.len());
    for (future, output) in futures {
        outputs.push(match output {
            Some(output) => output,
            None => future.await,
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
            if n % 3 > 0 {
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
