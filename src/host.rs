//! Clock, randomness and sleep: what a VFS asks of the machine when its author has nothing better.

use std::time::Duration;

use crate::vfs::Result;

#[cfg(target_family = "wasm")]
mod platform {
    use super::{Duration, Result};
    #[cfg(feature = "sqlite")]
    use crate::sys::{WasmOsCallback, vfs::OsCallback};
    use crate::vfs::{ErrorCode, VfsError};

    // They come with SQLite. A SQLite elsewhere has its own.
    #[cfg(not(feature = "sqlite"))]
    pub fn randomness(_: &mut [u8]) -> usize {
        0
    }

    #[cfg(feature = "sqlite")]
    pub fn randomness(buffer: &mut [u8]) -> usize {
        WasmOsCallback.random(buffer)
    }

    // One thread: whatever is waited for cannot happen while it waits.
    #[cfg(not(feature = "jspi"))]
    pub fn sleep(_: Duration) -> Duration {
        Duration::ZERO
    }

    #[cfg(feature = "jspi")]
    pub use suspending::{set_sleep, sleep};

    /// A call that can be suspended lets others run while it waits.
    #[cfg(feature = "jspi")]
    mod suspending {
        use std::cell::Cell;

        use super::Duration;

        thread_local! {
            static SLEEP: Cell<fn(Duration) -> Duration> = const { Cell::new(|_| Duration::ZERO) };
        }

        pub fn sleep(duration: Duration) -> Duration {
            SLEEP.with(Cell::get)(duration)
        }

        /// How to wait; until it is set, sleeping returns at once.
        pub fn set_sleep(sleep: fn(Duration) -> Duration) {
            SLEEP.with(|cell| cell.set(sleep));
        }
    }

    // What comes with SQLite is a clock on the wall. A finer one is an import of its own, which is the engine's to have.
    #[allow(clippy::cast_precision_loss)]
    pub fn now() -> f64 {
        unix_milliseconds().map_or(0.0, |milliseconds| milliseconds as f64)
    }

    #[cfg(not(feature = "sqlite"))]
    pub fn unix_milliseconds() -> Result<i64> {
        Err(VfsError::new(ErrorCode::Error, "the host has no clock"))
    }

    #[cfg(feature = "sqlite")]
    pub fn unix_milliseconds() -> Result<i64> {
        WasmOsCallback.epoch_timestamp_in_ms().map_err(|_| VfsError::new(ErrorCode::Error, "the host has no clock"))
    }
}

#[cfg(not(target_family = "wasm"))]
mod platform {
    use super::{Duration, Result};
    use std::sync::OnceLock;
    use std::time::{Instant, SystemTime, UNIX_EPOCH};

    pub fn randomness(buffer: &mut [u8]) -> usize {
        match getrandom::fill(buffer) {
            Ok(()) => buffer.len(),
            Err(_) => 0,
        }
    }

    pub fn sleep(duration: Duration) -> Duration {
        std::thread::sleep(duration);
        duration
    }

    /// Milliseconds since it was first asked.
    pub fn now() -> f64 {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
    }

    pub fn unix_milliseconds() -> Result<i64> {
        let milliseconds = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_millis()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_millis()).map_or(i64::MIN, |ms| -ms),
        };
        Ok(milliseconds)
    }
}

#[cfg(all(target_family = "wasm", feature = "jspi"))]
pub use platform::set_sleep;
pub use platform::{now, randomness, sleep, unix_milliseconds};
