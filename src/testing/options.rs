//! What the author of a VFS says about it, and how much is to be run.

/// How the kit is run. The default runs all cases in their short form, on a VFS that promises all but [`sparse`](Self::sparse)
/// files.
///
/// What a VFS says by itself need not be said here: whether it has shared memory
/// ([`FileFeatures`](crate::vfs::FileFeatures)) and what its medium promises
/// ([`DeviceCharacteristics`](crate::vfs::DeviceCharacteristics)).
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Run the cases whose names begin with one of these. Empty: all.
    pub only: &'a [&'a str],
    /// Run the long forms: every crash point and not a sample, more seeds, more cycles.
    pub full: bool,
    /// Files can only be read. [`Subject::holding`](super::Subject::holding) must then put files into the store.
    pub read_only: bool,
    /// A database can be opened by one connection at a time.
    pub one_connection: bool,
    /// There are no files without a name, so that what SQLite keeps there has to stay in memory (`PRAGMA temp_store=memory`).
    pub no_temporary_files: bool,
    /// How long a file can become, in bytes. `None`: as long as the cases need it, some 32 MiB.
    pub max_file_size: Option<u64>,
    /// A gap in a file takes no space, so a file can be made longer than 4 GiB for a case.
    pub sparse: bool,
    /// The names that a file can have, where it is not all of them.
    pub allows_name: Option<fn(&str) -> bool>,
}

impl Options<'_> {
    pub(super) fn chooses(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|prefix| name.starts_with(prefix))
    }
}
