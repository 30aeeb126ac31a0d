//! The name of a file as SQLite hands it to a VFS.

use super::flags::FileKind;

/// Looks up the URI parameters of a database's name; `register/` implements it over SQLite's own string.
pub(crate) trait Parameters {
    fn get(&self, key: &str) -> Option<&str>;
    fn all(&self) -> Vec<(&str, &str)>;
}

/// A file's name, and what SQLite says about it.
///
/// A name is used as it is: never parsed, decoded or resolved. `a#b?c.db` is a file of that name.
#[derive(Clone, Copy)]
pub struct VfsPath<'a> {
    name: &'a str,
    kind: Option<FileKind>,
    database: Option<&'a str>,
    parameters: Option<&'a dyn Parameters>,
}

impl<'a> VfsPath<'a> {
    /// A bare name, as `delete` and `access` get it.
    #[must_use]
    pub const fn new(name: &'a str) -> Self {
        Self { name, kind: None, database: None, parameters: None }
    }

    #[cfg(any(feature = "sqlite", feature = "foreign"))]
    pub(crate) fn opened(
        name: &'a str,
        kind: FileKind,
        database: Option<&'a str>,
        parameters: Option<&'a dyn Parameters>,
    ) -> Self {
        Self { name, kind: Some(kind), database, parameters }
    }

    /// The name.
    #[must_use]
    pub const fn as_str(&self) -> &'a str {
        self.name
    }

    /// What the file is. SQLite tells it at open only: `delete` and `access` get `None`.
    #[must_use]
    pub const fn kind(&self) -> Option<FileKind> {
        self.kind
    }

    /// The database that this file is, or whose journal or WAL it is; known for those three kinds, at open.
    #[must_use]
    pub const fn database(&self) -> Option<&'a str> {
        self.database
    }

    /// A parameter of the URI by which the database was opened (`file:x.db?cache_kb=64`), decoded. A journal and a WAL
    /// know those of their database. `None` where the name was no URI.
    #[must_use]
    pub fn parameter(&self, key: &str) -> Option<&'a str> {
        self.parameters.and_then(|parameters| parameters.get(key))
    }

    /// All of them, in their order.
    #[must_use]
    pub fn parameters(&self) -> Vec<(&'a str, &'a str)> {
        self.parameters.map(Parameters::all).unwrap_or_default()
    }
}

impl std::fmt::Debug for VfsPath<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VfsPath")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("database", &self.database)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Display for VfsPath<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
