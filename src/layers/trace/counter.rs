//! Counters for each file and operation, and which calls are timed.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use super::log::{Log, LogEntry};
use crate::host;
use crate::layers::Operation;
use crate::vfs::Result;

/// Files that are counted each by itself.
const MAX_FILES: usize = 1000;

/// Of so many calls of an operation one is timed, unless told otherwise.
const SAMPLING: u32 = 256;

/// The name under which [`Trace`](super::Trace) counts all files without a name.
pub const UNNAMED: &str = "";

/// The name under which [`Trace`](super::Trace) counts the files beyond the first thousand. A file that is called so is among them.
pub const OTHERS: &str = "*";

/// How often an operation ran, failures included, how many bytes it moved, and how long it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Calls.
    pub calls: u64,
    /// Bytes asked to be read or written.
    pub bytes: u64,
    /// Calls that answered with an error, [`Busy`](crate::vfs::ErrorCode::Busy) included.
    pub errors: u64,
    /// Calls that were timed.
    pub timed: u64,
    /// How long those took together.
    pub time: Duration,
}

impl Counter {
    /// How long a call took on average, of those that were timed. `None` if none was.
    #[must_use]
    pub fn mean(&self) -> Option<Duration> {
        (self.timed > 0).then(|| self.scaled(1))
    }

    /// An estimate of how long all calls took together.
    #[must_use]
    pub fn estimated_time(&self) -> Duration {
        if self.timed == 0 { Duration::ZERO } else { self.scaled(self.calls) }
    }

    #[allow(clippy::cast_precision_loss)]
    fn scaled(&self, calls: u64) -> Duration {
        Duration::try_from_secs_f64(self.time.as_secs_f64() * calls as f64 / self.timed as f64).unwrap_or_default()
    }
}

/// One operation's counters.
#[derive(Debug, Default)]
struct Cells {
    calls: Cell<u64>,
    bytes: Cell<u64>,
    errors: Cell<u64>,
    timed: Cell<u64>,
    milliseconds: Cell<f64>,
}

/// One file's counters. Its open handles hold them, so that nothing is looked up to read.
#[derive(Debug)]
pub(super) struct Tally {
    pub name: Rc<str>,
    cells: [Cells; Operation::COUNT],
}

impl Tally {
    fn new(name: &str) -> Rc<Self> {
        Rc::new(Self { name: name.into(), cells: Default::default() })
    }

    #[inline]
    fn cells(&self, operation: Operation) -> Option<&Cells> {
        self.cells.get(operation as usize)
    }

    pub(super) fn counter(&self, operation: Operation) -> Counter {
        self.cells(operation).map_or_else(Counter::default, |cells| Counter {
            calls: cells.calls.get(),
            bytes: cells.bytes.get(),
            errors: cells.errors.get(),
            timed: cells.timed.get(),
            time: Duration::try_from_secs_f64(cells.milliseconds.get() / 1e3).unwrap_or_default(),
        })
    }

    fn is_zero(&self) -> bool {
        self.cells.iter().all(|cells| cells.calls.get() == 0)
    }

    fn reset(&self) {
        for cells in &self.cells {
            cells.calls.set(0);
            cells.bytes.set(0);
            cells.errors.set(0);
            cells.timed.set(0);
            cells.milliseconds.set(0.0);
        }
    }
}

/// Where and how much, for the log.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub offset: u64,
    pub length: u64,
}

/// What all handles and files of a [`Trace`](super::Trace) share.
#[derive(Debug)]
pub(super) struct Tallies {
    /// Sorted by name.
    files: RefCell<Vec<Rc<Tally>>>,
    /// SQLite asks for the same few names again and again, in every transaction: comparing them is cheaper than a hash.
    recent: RefCell<[Option<Rc<Tally>>; 4]>,
    next_recent: Cell<usize>,
    unnamed: Rc<Tally>,
    others: Rc<Tally>,
    /// Of so many calls one is timed; 0: none.
    sampling: Cell<u32>,
    /// How many calls of each operation until one is timed.
    countdown: [Cell<u32>; Operation::COUNT],
    /// In milliseconds.
    clock: Cell<fn() -> f64>,
    pub log: Log,
}

impl Tallies {
    pub(super) fn new() -> Self {
        Self {
            files: RefCell::default(),
            recent: RefCell::default(),
            next_recent: Cell::default(),
            unnamed: Tally::new(UNNAMED),
            others: Tally::new(OTHERS),
            sampling: Cell::new(SAMPLING),
            countdown: std::array::from_fn(|_| Cell::new(SAMPLING)),
            clock: Cell::new(host::now),
            log: Log::default(),
        }
    }

    /// The counters of a file.
    pub(super) fn tally(&self, name: Option<&str>) -> Rc<Tally> {
        let Some(name) = name else { return self.unnamed.clone() };
        let mut recent = self.recent.borrow_mut();
        if let Some(tally) = recent.iter().flatten().find(|tally| &*tally.name == name) {
            return tally.clone();
        }
        let mut files = self.files.borrow_mut();
        let tally = match Self::place(&files, name) {
            Ok(there) => files.get(there).unwrap_or(&self.others).clone(),
            Err(place) if files.len() < MAX_FILES && name != OTHERS && files.try_reserve(1).is_ok() => {
                let tally = Tally::new(name);
                files.insert(place, tally.clone());
                tally
            }
            Err(_) => return self.others.clone(),
        };
        let slot = self.next_recent.get();
        self.next_recent.set((slot + 1) % recent.len());
        if let Some(slot) = recent.get_mut(slot) {
            *slot = Some(tally.clone());
        }
        tally
    }

    /// Runs an operation: counts it, and where it is its turn, times it.
    #[inline]
    pub(super) fn measure<T>(
        &self,
        tally: &Tally,
        operation: Operation,
        bytes: usize,
        extent: Extent,
        run: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let Some((cells, countdown)) = tally.cells(operation).zip(self.countdown.get(operation as usize)) else {
            return run();
        };
        cells.calls.set(cells.calls.get() + 1);
        cells.bytes.set(cells.bytes.get() + bytes as u64);
        let left = countdown.get();
        if left > 1 {
            countdown.set(left - 1);
            let result = run();
            if result.is_err() {
                cells.errors.set(cells.errors.get() + 1);
            }
            return result;
        }
        let start = self.start(countdown);
        let result = run();
        let code = result.as_ref().err().map_or(0, |error| error.code().raw());
        self.finish(tally, cells, operation, extent, start, code);
        result
    }

    /// When it is a call's turn to be timed.
    #[cold]
    fn start(&self, countdown: &Cell<u32>) -> f64 {
        countdown.set(self.interval());
        self.clock.get()()
    }

    #[cold]
    fn finish(&self, tally: &Tally, cells: &Cells, operation: Operation, extent: Extent, start: f64, code: i32) {
        // A clock on the wall can be set back.
        let milliseconds = (self.clock.get()() - start).max(0.0);
        cells.errors.set(cells.errors.get() + u64::from(code != 0));
        cells.timed.set(cells.timed.get() + 1);
        cells.milliseconds.set(cells.milliseconds.get() + milliseconds);
        let Extent { offset, length } = extent;
        let file = tally.name.clone();
        let duration = Duration::try_from_secs_f64(milliseconds / 1e3).unwrap_or_default();
        self.log.add(LogEntry { sequence: 0, operation, file, offset, length, code, duration });
    }

    /// What is logged is timed. Where nothing is, a countdown that does not end.
    fn interval(&self) -> u32 {
        match self.sampling.get() {
            _ if self.log.is_on() => 1,
            0 => u32::MAX,
            sampling => sampling,
        }
    }

    pub(super) fn set_sampling(&self, every: u32) {
        self.sampling.set(every);
        self.count_down();
    }

    pub(super) fn set_log(&self, capacity: usize) {
        self.log.set_capacity(capacity);
        self.count_down();
    }

    pub(super) fn set_clock(&self, clock: fn() -> f64) {
        self.clock.set(clock);
    }

    fn count_down(&self) {
        self.countdown.iter().for_each(|left| left.set(self.interval()));
    }

    /// Everything that was counted, of all files.
    pub(super) fn total(&self, operation: Operation) -> Counter {
        let files = self.files.borrow();
        let mut total = Counter::default();
        for tally in files.iter().chain([&self.unnamed, &self.others]) {
            let counter = tally.counter(operation);
            total.calls += counter.calls;
            total.bytes += counter.bytes;
            total.errors += counter.errors;
            total.timed += counter.timed;
            total.time = total.time.saturating_add(counter.time);
        }
        total
    }

    /// The names of the files of which anything was counted, sorted; that of all others comes last.
    pub(super) fn names(&self) -> Vec<Rc<str>> {
        let files = self.files.borrow();
        let all = [&self.unnamed].into_iter().chain(files.iter()).chain([&self.others]);
        all.filter(|tally| !tally.is_zero()).map(|tally| tally.name.clone()).collect()
    }

    fn place(files: &[Rc<Tally>], name: &str) -> Result<usize, usize> {
        files.binary_search_by(|tally| tally.name.as_ref().cmp(name))
    }

    pub(super) fn of(&self, name: &str, operation: Operation) -> Counter {
        match name {
            UNNAMED => self.unnamed.counter(operation),
            OTHERS => self.others.counter(operation),
            _ => {
                let files = self.files.borrow();
                let tally = Self::place(&files, name).ok().and_then(|place| files.get(place));
                tally.map_or_else(Counter::default, |tally| tally.counter(operation))
            }
        }
    }

    /// Sets everything to zero, and forgets files that nobody has open.
    pub(super) fn reset(&self) {
        self.recent.take();
        let mut files = self.files.borrow_mut();
        files.retain(|tally| Rc::strong_count(tally) > 1);
        files.iter().chain([&self.unnamed, &self.others]).for_each(|tally| tally.reset());
        self.log.clear();
        self.count_down();
    }
}
