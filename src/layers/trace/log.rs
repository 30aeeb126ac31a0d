//! The last operations, one by one.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;

use crate::layers::Operation;

/// An operation that was logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    /// Counts all that was logged, from 1. What comes first in the log need not be 1: only the last are kept.
    pub sequence: u64,
    /// What was asked.
    pub operation: Operation,
    /// Of which file; [`UNNAMED`](super::UNNAMED) or [`OTHERS`](super::OTHERS) for those that are not counted by name.
    pub file: Rc<str>,
    /// Where it was read or written. For the WAL index the number of the region, or of the first lock slot.
    pub offset: u64,
    /// How many bytes were to be read or written, or how long the file was to be. For locks SQLite's number of the level; for the
    /// WAL index the size of the region, or how many lock slots.
    pub length: u64,
    /// SQLite's result code: 0 if it succeeded.
    pub code: i32,
    /// How long it took.
    pub duration: Duration,
}

#[derive(Debug, Default)]
pub(super) struct Log {
    capacity: Cell<usize>,
    sequence: Cell<u64>,
    entries: RefCell<VecDeque<LogEntry>>,
}

impl Log {
    pub(super) fn is_on(&self) -> bool {
        self.capacity.get() > 0
    }

    pub(super) fn set_capacity(&self, capacity: usize) {
        self.capacity.set(capacity);
        let mut entries = self.entries.borrow_mut();
        let surplus = entries.len().saturating_sub(capacity);
        entries.drain(..surplus);
        if capacity == 0 {
            // Not only empty: no memory either.
            *entries = VecDeque::new();
        }
    }

    /// Logs an operation, if the log is on. Without memory for it, it is left out.
    pub(super) fn add(&self, entry: LogEntry) {
        if !self.is_on() {
            return;
        }
        self.sequence.set(self.sequence.get() + 1);
        let mut entries = self.entries.borrow_mut();
        if entries.len() >= self.capacity.get() {
            entries.pop_front();
        }
        if entries.try_reserve(1).is_ok() {
            entries.push_back(LogEntry { sequence: self.sequence.get(), ..entry });
        }
    }

    pub(super) fn entries(&self) -> Vec<LogEntry> {
        self.entries.borrow().iter().cloned().collect()
    }

    pub(super) fn clear(&self) {
        self.entries.borrow_mut().clear();
        self.sequence.set(0);
    }
}
