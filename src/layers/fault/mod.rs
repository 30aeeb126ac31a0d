//! Makes a VFS fail on purpose, and tells what a power loss would have left of its files.

mod crash;
mod file;
mod recorder;
mod recording;
mod rule;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use super::Operation;
use crate::vfs::{
    Access, DeviceCharacteristics, ErrorCode, FileInfo, FileKind, Files, OpenOptions, Opened, Result, Vfs, VfsError,
    VfsPath,
};

pub use crash::Unsynced;
pub use file::FaultFile;
use recorder::{Node, Recorder};
pub use recording::{Change, Event, Recording};
use rule::Armed;
pub use rule::{Action, Rule, Then, When};

/// A VFS that fails as it is told, and records what changes its files. A clone is another handle to the same.
///
/// For every test of the kind "what if the n-th write fails" and "what if power is lost just now": [`Rule`]s say what goes
/// wrong, [`count`](Self::count) says how many operations there are to go wrong, and from a [`Recording`] come the files as
/// they are after a power loss at any moment.
pub struct Fault<V> {
    shared: Rc<Shared<V>>,
}

impl<V> Clone for Fault<V> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

impl<V: fmt::Debug> fmt::Debug for Fault<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fault").field("inner", &self.shared.inner).finish_non_exhaustive()
    }
}

/// What the handles and the open files of a [`Fault`] share.
struct Shared<V> {
    inner: V,
    characteristics: Cell<Option<DeviceCharacteristics>>,
    sector_size: Cell<Option<u32>>,
    counts: [Cell<u64>; Operation::COUNT],
    rules: RefCell<Vec<Armed>>,
    crashed: Cell<bool>,
    kinds: RefCell<BTreeMap<Rc<str>, FileKind>>,
    recorder: Recorder,
}

impl<V> Fault<V> {
    /// Around `inner`. Nothing fails, nothing is recorded.
    pub fn new(inner: V) -> Self {
        Self {
            shared: Rc::new(Shared {
                inner,
                characteristics: Cell::default(),
                sector_size: Cell::default(),
                counts: std::array::from_fn(|_| Cell::new(0)),
                rules: RefCell::default(),
                crashed: Cell::default(),
                kinds: RefCell::default(),
                recorder: Recorder::default(),
            }),
        }
    }

    /// All files promise this, whatever those inside do: with [`DeviceCharacteristics::NONE`] a store that commits batches is
    /// written journals.
    #[must_use]
    pub fn with_characteristics(self, characteristics: DeviceCharacteristics) -> Self {
        self.shared.characteristics.set(Some(characteristics));
        self
    }

    /// All files say they have sectors of so many bytes. Torn writes are cut by them.
    #[must_use]
    pub fn with_sector_size(self, bytes: u32) -> Self {
        self.shared.sector_size.set(Some(bytes));
        self
    }

    /// The VFS inside.
    pub fn inner(&self) -> &V {
        &self.shared.inner
    }

    /// Adds a rule. Where several meet an operation the one added first decides, once delays and calls of all are done.
    pub fn add(&self, rule: Rule) {
        self.shared.rules.borrow_mut().push(Armed::new(rule));
    }

    /// Takes all rules away.
    pub fn clear(&self) {
        // What a rule holds may be connections, and closing them comes here again.
        let rules = self.shared.rules.take();
        drop(rules);
    }

    /// How many operations there were of this kind, failed ones included.
    #[must_use]
    pub fn count(&self, operation: Operation) -> u64 {
        self.shared.counts.get(operation as usize).map_or(0, Cell::get)
    }

    /// Counts from zero again.
    pub fn reset_counts(&self) {
        self.shared.counts.iter().for_each(|count| count.set(0));
    }

    /// Power was lost: every operation fails, but for closing files and giving back locks, and nothing is recorded.
    #[must_use]
    pub fn is_crashed(&self) -> bool {
        self.shared.crashed.get()
    }

    /// Power is lost now.
    pub fn crash(&self) {
        self.shared.crashed.set(true);
    }

    /// Power is back. The files inside are as the last operation left them: what a power loss leaves is
    /// [`Recording::crash_at`]'s to say, best put into a fresh store.
    pub fn restore_power(&self) {
        self.shared.crashed.set(false);
    }

    /// Begins a recording, in the place of one that runs.
    ///
    /// Files that are there already are read whole when they are opened, or first changed. One that is neither is in no
    /// contents after a crash; [`record_with_files`](Self::record_with_files) knows those, too.
    pub fn record(&self) {
        self.shared.recorder.begin();
    }

    /// How many events were recorded so far: the `point` at which power would be lost just now.
    #[must_use]
    pub fn recorded(&self) -> usize {
        self.shared.recorder.recorded()
    }

    /// What was recorded so far. The recording goes on.
    #[must_use]
    pub fn recording(&self) -> Recording {
        self.shared.recorder.so_far()
    }

    /// Ends the recording.
    pub fn stop(&self) -> Recording {
        self.shared.recorder.end()
    }
}

impl<V: Files> Fault<V> {
    /// Begins a recording that knows all files that there are.
    ///
    /// # Errors
    /// When a file cannot be read; nothing is recorded then.
    pub fn record_with_files(&self) -> Result<()> {
        let recorder = &self.shared.recorder;
        recorder.begin();
        let learned = self.inner().list().and_then(|files| files.iter().try_for_each(|file| self.learn(&file.name)));
        if learned.is_err() {
            recorder.end();
        }
        learned
    }

    /// Has the recorder know a file by its name.
    fn learn(&self, name: &str) -> Result<()> {
        let recorder = &self.shared.recorder;
        let node = recorder.node(name);
        if recorder.is_on() && recorder.id(&node).is_none() && self.inner().size(name)?.is_some() {
            recorder.learn(&node, Some(self.inner().read(name)?), DeviceCharacteristics::NONE, self.sector_size());
        }
        Ok(())
    }

    fn sector_size(&self) -> u32 {
        self.shared.sector_size.get().unwrap_or(DEFAULT_SECTOR)
    }

    /// Records what happened to a file behind SQLite's back: it is durable at once.
    fn record_durable(&self, name: &str, changes: impl IntoIterator<Item = Change>) {
        let recorder = &self.shared.recorder;
        if !recorder.is_on() {
            return;
        }
        let node = recorder.node(name);
        if recorder.id(&node).is_none() {
            recorder.learn(&node, None, DeviceCharacteristics::NONE, self.sector_size());
        }
        changes.into_iter().for_each(|change| recorder.record(&node, change));
    }
}

/// [`VfsFile::sector_size`](crate::vfs::VfsFile::sector_size)'s own.
const DEFAULT_SECTOR: u32 = 4096;

/// What is left to do of an operation.
enum Outcome {
    All,
    /// So many bytes, then it fails; reading does not.
    Bytes(usize, VfsError),
    /// So many sectors.
    Sectors(u64, Then),
}

impl<V: Vfs> Shared<V> {
    /// Counts an operation, and says what becomes of it.
    fn meet(&self, operation: Operation, name: Option<&str>, kind: Option<FileKind>) -> Result<Outcome> {
        if let Some(count) = self.counts.get(operation as usize) {
            count.set(count.get() + 1);
        }
        if self.crashed.get() {
            return Err(no_power());
        }
        let mut first = Vec::new();
        let mut decision = None;
        for rule in self.rules.borrow_mut().iter_mut() {
            match rule.meet(operation, name, kind) {
                None => {}
                Some(action @ (Action::Delay(_) | Action::Call(_))) => first.push(action.clone()),
                Some(action) => decision = decision.or_else(|| Some(action.clone())),
            }
        }
        // These may use SQLite, so nothing is borrowed while they run.
        for action in first {
            match action {
                Action::Delay(duration) => {
                    self.inner.sleep(duration);
                }
                Action::Call(call) => call(),
                _ => {}
            }
        }
        match decision {
            Some(Action::Fail(error)) => Err(error),
            Some(Action::Shorten { bytes, error }) => Ok(Outcome::Bytes(bytes, error)),
            Some(Action::Tear { sectors, then }) => Ok(Outcome::Sectors(sectors, then)),
            Some(Action::Crash) => Err(self.end(Then::Crash)),
            Some(Action::Delay(_) | Action::Call(_)) | None => Ok(Outcome::All),
        }
    }

    /// As [`meet`](Self::meet), for an operation that cannot be done in part.
    fn meet_whole(&self, operation: Operation, name: Option<&str>, kind: Option<FileKind>) -> Result<()> {
        match self.meet(operation, name, kind)? {
            Outcome::All => Ok(()),
            Outcome::Bytes(_, error) => Err(error),
            Outcome::Sectors(_, then) => Err(self.end(then)),
        }
    }

    /// The error with which a torn operation ends.
    fn end(&self, then: Then) -> VfsError {
        match then {
            Then::Fail(error) => error,
            Then::Crash => {
                self.crashed.set(true);
                no_power()
            }
        }
    }

    fn kind_of(&self, name: &str) -> Option<FileKind> {
        self.kinds.borrow().get(name).copied().or_else(|| {
            let suffixes = [("-journal", FileKind::MainJournal), ("-wal", FileKind::Wal)];
            suffixes.into_iter().find_map(|(suffix, kind)| name.ends_with(suffix).then_some(kind))
        })
    }
}

fn no_power() -> VfsError {
    VfsError::new(ErrorCode::IoErr, "power is lost")
}

impl<V: Vfs> Vfs for Fault<V> {
    type File = FaultFile<V>;

    fn open(&self, path: Option<&VfsPath<'_>>, options: OpenOptions) -> Result<Opened<Self::File>> {
        let shared = &self.shared;
        let (name, kind) = (path.map(VfsPath::as_str), options.kind());
        shared.meet_whole(Operation::Open, name, Some(kind))?;
        let Opened { file, read_only } = shared.inner.open(path, options)?;
        let node = match name {
            Some(name) => {
                let node = shared.recorder.node(name);
                shared.kinds.borrow_mut().insert(node.name.clone(), kind);
                node
            }
            None => Rc::new(Node::new("")),
        };
        let mut file = FaultFile::new(file, shared.clone(), node, name.is_some(), options);
        file.opened(options)?;
        Ok(Opened { file, read_only })
    }

    fn delete(&self, path: &VfsPath<'_>, sync_dir: bool) -> Result<()> {
        let name = path.as_str();
        self.shared.meet_whole(Operation::Delete, Some(name), self.shared.kind_of(name))?;
        self.shared.inner.delete(path, sync_dir)?;
        self.shared.recorder.delete(name, sync_dir);
        Ok(())
    }

    fn access(&self, path: &VfsPath<'_>, access: Access) -> Result<bool> {
        let name = path.as_str();
        self.shared.meet_whole(Operation::Access, Some(name), self.shared.kind_of(name))?;
        self.shared.inner.access(path, access)
    }

    fn full_pathname<'a>(&self, name: &'a str) -> Result<Cow<'a, str>> {
        self.shared.inner.full_pathname(name)
    }

    fn max_pathname(&self) -> usize {
        self.shared.inner.max_pathname()
    }

    fn randomness(&self, buffer: &mut [u8]) -> usize {
        self.shared.inner.randomness(buffer)
    }

    fn sleep(&self, duration: Duration) -> Duration {
        self.shared.inner.sleep(duration)
    }

    fn current_time(&self) -> Result<i64> {
        self.shared.inner.current_time()
    }
}

/// No rule is about these: they are the user's, not SQLite's.
impl<V: Files> Files for Fault<V> {
    fn list(&self) -> Result<Vec<FileInfo>> {
        self.inner().list()
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        self.inner().size(name)
    }

    fn read_at(&self, name: &str, buffer: &mut [u8], offset: u64) -> Result<usize> {
        self.inner().read_at(name, buffer, offset)
    }

    fn write_at(&self, name: &str, bytes: &[u8], offset: u64) -> Result<()> {
        self.learn(name)?;
        self.inner().write_at(name, bytes, offset)?;
        self.record_durable(name, [Change::Write { offset, bytes: bytes.into() }, Change::Sync]);
        Ok(())
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        let bytes = if self.shared.recorder.is_on() { self.inner().read(from)? } else { Vec::new() };
        self.learn(from)?;
        self.learn(to)?;
        self.inner().rename(from, to)?;
        if from != to {
            self.shared.recorder.delete(from, true);
            self.shared.recorder.delete(to, true);
            self.record_durable(to, [Change::Write { offset: 0, bytes: bytes.into() }, Change::Sync]);
        }
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<bool> {
        let existed = self.inner().remove(name)?;
        if existed {
            self.shared.recorder.delete(name, true);
        }
        Ok(existed)
    }
}
