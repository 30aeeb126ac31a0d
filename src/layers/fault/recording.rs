//! Everything that changed files, in order.

use std::rc::Rc;

use crate::vfs::DeviceCharacteristics;

/// What happened to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// It was made, empty.
    Create,
    /// Bytes were written.
    Write {
        /// Where.
        offset: u64,
        /// Which. Of a write that was cut short, those that were written.
        bytes: Rc<[u8]>,
    },
    /// It was cut or lengthened.
    Truncate {
        /// To this length.
        len: u64,
    },
    /// All that was written became durable.
    Sync,
    /// Its name was deleted.
    Delete {
        /// Durably.
        sync_dir: bool,
    },
    /// The writes that follow count together or not at all.
    BeginBatch,
    /// They count.
    CommitBatch,
    /// They do not.
    RollbackBatch,
}

/// A change to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The name the file had.
    pub name: Rc<str>,
    /// Tells apart files that had the same name one after another.
    pub file: usize,
    /// What happened.
    pub change: Change,
}

/// A file that occurs in a recording.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    pub name: Rc<str>,
    /// Its contents when the recording began; `None` if it was made later.
    pub before: Option<Rc<Vec<u8>>>,
    pub characteristics: DeviceCharacteristics,
    pub sector_size: u32,
}

/// Everything that changed the files of a [`Fault`](super::Fault), from which the contents after a crash at any moment can be
/// made ([`crash_at`](Self::crash_at)).
///
/// It holds the bytes of all writes, and the contents of files that were there before. Temporary files are left out:
/// nobody looks for them after a crash.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    pub(super) files: Vec<Recorded>,
    pub(super) events: Vec<Event>,
}

impl Recording {
    /// The changes, oldest first.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    pub(super) fn add_file(&mut self, file: Recorded) -> usize {
        self.files.push(file);
        self.files.len() - 1
    }

    pub(super) fn add(&mut self, file: usize, change: Change) {
        if let Some(Recorded { name, .. }) = self.files.get(file) {
            self.events.push(Event { name: name.clone(), file, change });
        }
    }
}
