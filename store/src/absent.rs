//! In place of the engines that this program was built without.

use leafid_core::Code;

use crate::problem::Problem;

/// Refuses the engine of a URL with this scheme where this program was built without it.
///
/// # Errors
/// `REQUEST_INVALID`.
pub fn built(scheme: &str) -> Result<(), Problem> {
    let features = [
        ("sql", cfg!(feature = "sql")),
        ("etcd", cfg!(feature = "etcd")),
        ("zookeeper", cfg!(feature = "zookeeper")),
    ];
    let is_built = features.contains(&(feature(scheme), true));
    if is_built { Ok(()) } else { Err(left_out(scheme)) }
}

/// The refusal of an engine that this program was built without, by a URL or its scheme.
pub fn left_out(url: &str) -> Problem {
    let feature = feature(url.split(':').next().unwrap_or_default());
    let detail = format!(
        "this `leafid` was built without `{feature}`: build it with `--features {feature}`"
    );
    Problem::new(Code::RequestInvalid, detail)
}

fn feature(scheme: &str) -> &'static str {
    match scheme {
        "etcd" | "etcds" => "etcd",
        "zk" => "zookeeper",
        _ => "sql",
    }
}

/// What the crate `leafid-leaf` uses of an engine, which is refused here.
macro_rules! absent {
    ($engine:ident, $scheme:literal) => {
        #[doc = concat!("What stands in for `", stringify!($engine), "`.")]
        pub mod $engine {
            use super::left_out;
            use crate::problem::Problem;

            /// An address: there is none.
            #[derive(Clone, Debug)]
            pub struct Address {
                /// Where it is.
                pub place: String,
            }

            impl Address {
                /// Reads no URL.
                ///
                /// # Errors
                /// `REQUEST_INVALID`, always.
                pub fn parse(_: &str) -> Result<Address, Problem> {
                    Err(left_out($scheme))
                }
            }

            /// Reads nothing.
            ///
            /// # Errors
            /// `REQUEST_INVALID`, always.
            pub async fn read<A, T>(_: &A) -> Result<T, Problem> {
                Err(left_out($scheme))
            }
        }
    };
}

absent!(mysql, "mysql");
absent!(zookeeper, "zk");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_was_left_out_is_named() {
        for (scheme, feature, is_built) in [
            ("postgres", "sql", cfg!(feature = "sql")),
            ("mysql", "sql", cfg!(feature = "sql")),
            ("etcd", "etcd", cfg!(feature = "etcd")),
            ("zk", "zookeeper", cfg!(feature = "zookeeper")),
        ] {
            let url = format!("{scheme}://u:p@127.0.0.1:1/d");
            let read = crate::opening::database::Database::parse(&url).expect("a database's");
            match read {
                Ok(_) => assert!(is_built, "{scheme}"),
                Err(refused) => {
                    assert!(!is_built && refused.code == Code::RequestInvalid, "{refused}");
                    assert!(refused.detail.ends_with(&format!("`--features {feature}`")));
                }
            }
        }
    }
}
