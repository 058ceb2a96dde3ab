//! The meaning of a database's errors, by their own codes: one table for the back ends of every language.

/// The meaning of an error. One that is in no table is a plain refusal: the whole transaction was rolled back, and
/// the connection remains usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No answer, or the connection broke: a later try may succeed, and whether the last request was
    /// carried out is unknown.
    Lost,
    /// Another session interfered; the whole transaction was rolled back.
    Race,
    /// Another session kept a row locked for too long; the whole transaction was rolled back, and the
    /// connection remains usable.
    Locked,
    /// There is no database of that name.
    Nowhere,
    /// The login failed: wrong name or password.
    Login,
    /// The user lacks the right, or another way of access is required.
    Denied,
    /// There is no such table or schema.
    Gone,
}

impl Kind {
    /// Its name in the other languages.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Lost => "lost",
            Kind::Race => "race",
            Kind::Locked => "locked",
            Kind::Nowhere => "nowhere",
            Kind::Login => "login",
            Kind::Denied => "denied",
            Kind::Gone => "gone",
        }
    }
}

/// PostgreSQL's errors by SQLSTATE, or by its class, the first two characters.
pub const POSTGRES: &[(Kind, &[&str])] = &[
    (Kind::Race, &["40001", "40P01"]),
    (Kind::Locked, &["55P03"]),
    (Kind::Nowhere, &["3D000"]),
    (Kind::Login, &["28000", "28P01"]),
    (Kind::Denied, &["42501"]),
    (Kind::Gone, &["3F000", "42P01"]),
    // The server stops, starts, has no free connection or cancelled a statement that took too long, or the
    // connection is broken.
    (Kind::Lost, &["08", "53", "57", "58", "XX"]),
];

/// The errors of MySQL and MariaDB by number.
pub const MYSQL: &[(Kind, &[u16])] = &[
    (Kind::Race, &[1213]),
    (Kind::Locked, &[1205]),
    (Kind::Nowhere, &[1049]),
    (Kind::Login, &[1045, 1130, 1698, 3118]),
    (Kind::Denied, &[1044, 1142, 1143, 1227, 3159]),
    (Kind::Gone, &[1146]),
    // The server stops, has no free connection, or has ended this one.
    (
        Kind::Lost,
        &[1040, 1053, 1077, 1079, 1080, 1152, 1158, 1159, 1160, 1161, 1184, 1203, 1927, 4031],
    ),
    // The server cancelled a statement that took too long.
    (Kind::Lost, &[1317, 1969, 3024]),
];

/// The kind of PostgreSQL's error with this SQLSTATE; `None` for a plain refusal.
pub fn kind_of_postgres(state: &str) -> Option<Kind> {
    known(POSTGRES, &state).or_else(|| known(POSTGRES, &state.get(..2)?))
}

/// The kind of MySQL's or MariaDB's error with this number; `None` for a plain refusal.
pub fn kind_of_mysql(number: u16) -> Option<Kind> {
    known(MYSQL, &number)
}

fn known<C: PartialEq>(table: &[(Kind, &[C])], code: &C) -> Option<Kind> {
    table.iter().find(|(_, codes)| codes.contains(code)).map(|(kind, _)| *kind)
}

#[cfg(test)]
mod tests {
    use super::{Kind, kind_of_mysql, kind_of_postgres};

    #[test]
    fn an_error_is_known_by_its_code_and_then_by_its_class() {
        let big = ["40P01", "42P01", "57014", "57P01", "42601", "", "4é"].map(kind_of_postgres);
        let lost = Some(Kind::Lost);
        assert_eq!(big, [Some(Kind::Race), Some(Kind::Gone), lost, lost, None, None, None]);
        let my = [1213, 1146, 3024, 1062, 0].map(kind_of_mysql);
        assert_eq!(my, [Some(Kind::Race), Some(Kind::Gone), lost, None, None]);
    }
}
