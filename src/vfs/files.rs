//! A store's files as a user sees them: by name, whole, as bytes.

use super::error::Result;

/// One file of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileInfo {
    /// Its name, the one SQLite opens it by.
    pub name: String,
    /// How long it is, in bytes.
    pub size: u64,
}

/// Listing, taking out, putting in and deleting files behind SQLite's back. A store implements it beside
/// [`Vfs`](super::Vfs) where its files outlive a connection.
pub trait Files {
    /// All named files, sorted by name.
    ///
    /// # Errors
    /// When the medium cannot be asked.
    fn list(&self) -> Result<Vec<FileInfo>>;

    /// The bytes of a file.
    ///
    /// # Errors
    /// [`CantOpen`](super::ErrorCode::CantOpen) if there is none, [`NoMem`](super::ErrorCode::NoMem) if they don't fit.
    fn read(&self, name: &str) -> Result<Vec<u8>>;

    /// Makes or replaces a file. A file that is open is never replaced: connections have pages of it in their caches.
    ///
    /// # Errors
    /// [`Busy`](super::ErrorCode::Busy) if it is open, [`Full`](super::ErrorCode::Full); what was there is whole then.
    fn write(&self, name: &str, bytes: &[u8]) -> Result<()>;

    /// Deletes a file and answers whether there was one.
    ///
    /// # Errors
    /// [`Busy`](super::ErrorCode::Busy) if it is open.
    fn remove(&self, name: &str) -> Result<bool>;
}
