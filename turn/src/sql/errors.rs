//! What the errors of a database mean, by their own codes: one table for the back ends of every language.

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
pub const POSTGRES: &[(&str, Kind)] = &[
    ("40001", Kind::Race),
    ("40P01", Kind::Race),
    ("55P03", Kind::Locked),
    ("3D000", Kind::Nowhere),
    ("28000", Kind::Login),
    ("28P01", Kind::Login),
    ("42501", Kind::Denied),
    ("3F000", Kind::Gone),
    ("42P01", Kind::Gone),
    // The server stops, starts, has no free connection or cancelled a statement that took too long, or the
    // connection is broken.
    ("08", Kind::Lost),
    ("53", Kind::Lost),
    ("57", Kind::Lost),
    ("58", Kind::Lost),
    ("XX", Kind::Lost),
];

/// The errors of MySQL and MariaDB by number.
pub const MYSQL: &[(u16, Kind)] = &[
    (1213, Kind::Race),
    (1205, Kind::Locked),
    (1049, Kind::Nowhere),
    (1045, Kind::Login),
    (1130, Kind::Login),
    (1698, Kind::Login),
    (3118, Kind::Login),
    (1044, Kind::Denied),
    (1142, Kind::Denied),
    (1143, Kind::Denied),
    (1227, Kind::Denied),
    (3159, Kind::Denied),
    (1146, Kind::Gone),
    // The server stops, has no free connection, or has ended this one.
    (1040, Kind::Lost),
    (1053, Kind::Lost),
    (1077, Kind::Lost),
    (1079, Kind::Lost),
    (1080, Kind::Lost),
    (1152, Kind::Lost),
    (1158, Kind::Lost),
    (1159, Kind::Lost),
    (1160, Kind::Lost),
    (1161, Kind::Lost),
    (1184, Kind::Lost),
    (1203, Kind::Lost),
    (1927, Kind::Lost),
    (4031, Kind::Lost),
    // The server cancelled a statement that took too long.
    (1317, Kind::Lost),
    (1969, Kind::Lost),
    (3024, Kind::Lost),
];

/// The kind of PostgreSQL's error with this SQLSTATE; `None` for a plain refusal.
pub fn kind_of_postgres(state: &str) -> Option<Kind> {
    let known = |code: &str| POSTGRES.iter().find(|(known, _)| *known == code);
    known(state).or_else(|| known(state.get(..2)?)).map(|(_, kind)| *kind)
}

/// The kind of MySQL's or MariaDB's error with this number; `None` for a plain refusal.
pub fn kind_of_mysql(number: u16) -> Option<Kind> {
    MYSQL.iter().find(|(known, _)| *known == number).map(|(_, kind)| *kind)
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
