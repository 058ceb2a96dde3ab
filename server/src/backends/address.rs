//! What the addresses of all databases share: what is printed of them, and how a URL is refused.

use leafid_core::Code;

use crate::problem::Problem;

/// A URL that cannot be used, and the form that can. It is not repeated: it may have a password.
pub fn unusable(database: &str, why: &str, form: &str) -> Problem {
    let detail = format!("the {database} URL cannot be used: {why}; it is {form}");
    Problem::new(Code::RequestInvalid, detail)
}

/// All that is printed of an address is its place, which has no password.
macro_rules! prints_its_place {
    ($address:ty) => {
        impl std::fmt::Debug for $address {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.place)
            }
        }
    };
}

pub(super) use prints_its_place;
