//! What the property tests share: how many cases, where a failure is kept, what
//! must have happened, and small values.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;

use leafid_core::Token;
use proptest::prelude::*;
use proptest::test_runner::{FileFailurePersistence, TestCaseResult, TestRunner};

#[derive(Debug, Default)]
pub struct Tally(RefCell<BTreeMap<&'static str, u64>>);

impl Tally {
    pub fn add(&self, name: &'static str, n: u64) {
        *self.0.borrow_mut().entry(name).or_default() += n;
    }
}

/// Tests a property on so many cases (`PROPTEST_CASES` says otherwise), prints what happened, and
/// fails as well if less happened in a hundred cases than the floors say: a test that does nothing is none.
///
/// What failed once lies beside the test, as `<test>.regressions`, and is tried first ever after.
pub fn check<S: Strategy<Value: Debug>>(
    file: &'static str,
    cases: u32,
    strategy: S,
    floors: &[(&'static str, u64)],
    test: impl Fn(S::Value, &Tally) -> TestCaseResult,
) {
    let said = std::env::var("PROPTEST_CASES").ok().and_then(|said| said.parse().ok());
    let config = ProptestConfig {
        cases: said.unwrap_or(cases),
        source_file: Some(file),
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        max_shrink_iters: 20_000,
        ..ProptestConfig::default()
    };
    let (tally, cases) = (Tally::default(), u64::from(config.cases));
    let verdict = TestRunner::new(config).run(&strategy, |value| test(value, &tally));
    if let Err(error) = verdict {
        panic!("{error}");
    }
    let seen = tally.0.into_inner();
    println!("{cases} cases: {seen:?}");
    for (name, floor) in floors {
        let count = seen.get(name).copied().unwrap_or(0);
        assert!(count >= floor * cases / 100, "{count} {name} in {cases} cases prove nothing");
    }
}

/// The `n`-th token: no two are alike.
pub fn token(n: u64) -> Token {
    Token::new(entropy(n))
}

/// The bytes of [`token`].
pub fn entropy(n: u64) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&n.to_be_bytes());
    bytes
}

/// Any number of 64 bits, the ends and the ends of 63 bits often.
pub fn any_number() -> impl Strategy<Value = u64> {
    prop_oneof![
        1 => Just(0),
        1 => Just(u64::MAX),
        1 => Just(1 << 63),
        1 => Just((1 << 63) - 1),
        3 => any::<u64>(),
        4 => 0u64..10_000,
    ]
}
