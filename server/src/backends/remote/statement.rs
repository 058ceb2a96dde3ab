//! The statements, each a text file per dialect with named parameters.

/// Names a statement, and gives its text in each dialect.
macro_rules! statements {
    ($($name:ident = $file:literal,)*) => {
        /// A statement.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Statement {
            $(#[doc = $file] $name,)*
        }

        impl Statement {
            /// All of them, in the order of their numbers.
            pub const ALL: &[Statement] = &[$(Statement::$name,)*];

            /// Its text for PostgreSQL.
            pub fn postgres(self) -> &'static str {
                match self {
                    $(Statement::$name => {
                        include_str!(concat!("../../../../sql/postgres/", $file, ".sql"))
                    })*
                }
            }

            /// Its text for MySQL and MariaDB.
            pub fn mysql(self) -> &'static str {
                match self {
                    $(Statement::$name => {
                        include_str!(concat!("../../../../sql/mysql/", $file, ".sql"))
                    })*
                }
            }
        }
    };
}

statements! {
    Kept = "lookups/kept",
    Mine = "lookups/mine",
    Own = "lookups/own",
    Rested = "lookups/rested",
    Used = "lookups/used",
    Leaving = "rows/leaving",
    Namespace = "rows/namespace",
    NamespaceAdd = "rows/namespace_add",
    NamespaceChange = "rows/namespace_change",
    NamespaceSame = "rows/namespace_same",
    Namespaces = "rows/namespaces",
    Range = "rows/range",
    Tag = "rows/tag",
    TagAdd = "rows/tag_add",
    TagChange = "rows/tag_change",
    Tags = "rows/tags",
    Worker = "rows/worker",
    WorkerAdd = "rows/worker_add",
    WorkerChange = "rows/worker_change",
    Workers = "rows/workers",
    Beat = "meta/beat",
    Found = "meta/found",
    Lower = "meta/lower",
    Made = "meta/made",
    Make = "meta/make",
    Meta = "meta/meta",
    Now = "meta/now",
    Settings = "meta/settings",
}

/// A value of a parameter or a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// No value.
    Null,
    /// A number; a flag too, in databases that have none.
    Int(i64),
    /// A flag.
    Flag(bool),
    /// A text.
    Text(String),
    /// Bytes; a text too, in databases that do not tell.
    Bytes(Vec<u8>),
}

/// A statement, and what its parameters are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The statement.
    pub statement: Statement,
    /// Values by the names of its parameters.
    pub values: Vec<(&'static str, Value)>,
    /// Values of the row as it was read, by the names of its columns: the parameters `was_…`.
    pub before: Vec<(&'static str, Value)>,
}

impl Asked {
    /// A statement without parameters yet.
    pub fn new(statement: Statement) -> Asked {
        Asked { statement, values: Vec::new(), before: Vec::new() }
    }

    /// The same with a parameter more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Asked {
        self.values.push((name, value.into()));
        self
    }

    /// The same with these columns of a row.
    #[must_use]
    pub fn columns(mut self, columns: Vec<(&'static str, Value)>) -> Asked {
        self.values.extend(columns);
        self
    }

    /// The same with these columns of the row as it was read.
    #[must_use]
    pub fn was(self, columns: Vec<(&'static str, Value)>) -> Asked {
        Asked { before: columns, ..self }
    }

    /// The value of a parameter.
    pub fn value(&self, name: &str) -> Option<&Value> {
        let (values, name) = match name.strip_prefix("was_") {
            Some(column) => (&self.before, column),
            None => (&self.values, name),
        };
        values.iter().find(|(named, _)| *named == name).map(|(_, value)| value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Value {
        Value::Int(value.into())
    }
}

impl From<u8> for Value {
    fn from(value: u8) -> Value {
        Value::Int(value.into())
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Flag(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.to_owned())
    }
}

impl From<[u8; 16]> for Value {
    fn from(value: [u8; 16]) -> Value {
        Value::Bytes(value.to_vec())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// Every position, tick and number lies below 2^63; what does not is no number of ours, and no row
/// is written or found with it.
impl From<u64> for Value {
    fn from(value: u64) -> Value {
        i64::try_from(value).map_or(Value::Null, Value::Int)
    }
}
