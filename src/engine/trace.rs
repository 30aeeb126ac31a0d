//! What the layer around each store tells: counts, times, and the last operations.

use std::ffi::{c_char, c_int};
use std::time::Duration;

use super::files::{ask, text};
use super::outbox;
use crate::layers::{Counter, Operation};

/// What each operation did, as the text: its name, calls, bytes, errors, timed calls and their nanoseconds, separated by spaces,
/// and a NUL. `file` names one file; null for all together.
///
/// # Safety
/// `store` is NUL-terminated, and `file` if it is not null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_trace_counters(store: *const c_char, file: *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        ask(store, &|store| {
            let file = if file.is_null() { None } else { Some(text(file)?) };
            let mut lines = String::new();
            for &operation in Operation::ALL {
                let Counter { calls, bytes, errors, timed, time } =
                    file.map_or_else(|| store.counter(operation), |file| store.file_counter(file, operation));
                let nanoseconds = nanoseconds(time);
                lines.push_str(operation.name());
                for number in [calls, bytes, errors, timed, nanoseconds] {
                    lines.push(' ');
                    lines.push_str(&number.to_string());
                }
                lines.push('\0');
            }
            outbox::give_bytes(lines.into_bytes());
            Ok(())
        })
    }
}

/// Without the 128 bits of `as_nanos`: 584 years are enough.
fn nanoseconds(time: Duration) -> u64 {
    time.as_secs().saturating_mul(1_000_000_000).saturating_add(time.subsec_nanos().into())
}

/// The files that are counted, as the text: their names, each ended by a NUL.
///
/// # Safety
/// `store` is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_trace_files(store: *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        ask(store, &|store| {
            let names = store.files().iter().flat_map(|name| [name.as_ref(), "\0"]).collect::<String>();
            outbox::give_bytes(names.into_bytes());
            Ok(())
        })
    }
}

/// The last operations, as the text: for each its number, name, offset, length, result code, nanoseconds and file, separated by
/// spaces, and a NUL.
///
/// # Safety
/// `store` is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_trace_log(store: *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        ask(store, &|store| {
            let mut lines = String::new();
            for entry in store.log() {
                let nanoseconds = nanoseconds(entry.duration);
                lines.push_str(&entry.sequence.to_string());
                lines.push(' ');
                lines.push_str(entry.operation.name());
                for number in [entry.offset, entry.length, u64::from(entry.code.unsigned_abs()), nanoseconds] {
                    lines.push(' ');
                    lines.push_str(&number.to_string());
                }
                lines.push(' ');
                lines.push_str(&entry.file);
                lines.push('\0');
            }
            outbox::give_bytes(lines.into_bytes());
            Ok(())
        })
    }
}

/// Times every so many calls (0: none), and keeps so many operations in the log (0: none). A negative number leaves it as it is.
///
/// # Safety
/// `store` is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_trace_set(store: *const c_char, every: c_int, log: c_int) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        ask(store, &|store| {
            if let Ok(every) = u32::try_from(every) {
                store.set_sampling(every);
            }
            if let Ok(log) = usize::try_from(log) {
                store.set_log(log);
            }
            Ok(())
        })
    }
}

/// Sets all counters to zero, and empties the log.
///
/// # Safety
/// `store` is NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_trace_reset(store: *const c_char) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        ask(store, &|store| {
            store.reset();
            Ok(())
        })
    }
}
