//! Prepared statements: the path of every row.

use std::ffi::{c_char, c_int};
use std::ptr;

use super::params::{self, Lifetime};
use super::{callbacks, inbox, outbox};
use crate::sys;

/// Prepares the first statement of a text. Answers null for a text without one, and when it failed: then the outbox has the
/// code, and the connection its error.
///
/// # Safety
/// `db` is open, `sql` NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_prepare(db: *mut sys::sqlite3, sql: *const c_char) -> *mut sys::sqlite3_stmt {
    let _texts = inbox::hold();
    outbox::begin();
    let mut statement = ptr::null_mut();
    // SAFETY: as the caller promises.
    unsafe {
        let code = sys::sqlite3_prepare_v2(db, sql, -1, &raw mut statement, ptr::null_mut());
        if code != sys::SQLITE_OK {
            outbox::explain(db, code);
        }
        outbox::update(|words| words.code = code);
    }
    statement
}

/// Frees a statement.
///
/// # Safety
/// `statement` is live, and gone afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_finalize(statement: *mut sys::sqlite3_stmt) {
    // SAFETY: as the caller promises. Its answer is the error of the last step, which was told then.
    unsafe { sys::sqlite3_finalize(statement) };
}

/// How many parameters it has: the largest index.
///
/// # Safety
/// `statement` is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_parameter_count(statement: *mut sys::sqlite3_stmt) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_bind_parameter_count(statement) }
}

/// Name of a parameter with its prefix, as the text; null for one without. Counted from 1.
///
/// # Safety
/// `statement` is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_parameter_name(statement: *mut sys::sqlite3_stmt, index: c_int) {
    // SAFETY: as the caller promises. The name lives as long as the statement.
    unsafe { outbox::lend_c_text(sys::sqlite3_bind_parameter_name(statement, index)) }
}

/// How many columns its rows have; 0 for a statement that has no rows.
///
/// # Safety
/// `statement` is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_column_count(statement: *mut sys::sqlite3_stmt) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_column_count(statement) }
}

/// What is known of a column, as the text; null for what is not: 0 its name in the result, 1 the column it comes from, 2 that
/// one's table, 3 its database, 4 its declared type.
///
/// # Safety
/// `statement` is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_column_text(statement: *mut sys::sqlite3_stmt, column: c_int, what: c_int) {
    // SAFETY: as the caller promises. The text lives until the statement is prepared anew.
    unsafe {
        outbox::lend_c_text(match what {
            0 => sys::sqlite3_column_name(statement, column),
            1 => sys::sqlite3_column_origin_name(statement, column),
            2 => sys::sqlite3_column_table_name(statement, column),
            3 => sys::sqlite3_column_database_name(statement, column),
            _ => sys::sqlite3_column_decltype(statement, column),
        });
    }
}

/// Its SQL as the text; with `expanded`, parameters replaced by their values.
///
/// # Safety
/// `statement` is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_sql(statement: *mut sys::sqlite3_stmt, expanded: c_int) {
    // SAFETY: as the caller promises. An expanded text is ours to free, once it is copied.
    unsafe {
        if expanded == 0 {
            return outbox::lend_c_text(sys::sqlite3_sql(statement));
        }
        let text = sys::sqlite3_expanded_sql(statement);
        if text.is_null() {
            return outbox::lend_c_text(ptr::null());
        }
        outbox::give_bytes(std::ffi::CStr::from_ptr(text).to_bytes().to_vec());
        sys::sqlite3_free(text.cast());
    }
}

/// One of the statement's counters (`SQLITE_STMTSTATUS_…`); with `reset`, it starts again at zero.
///
/// # Safety
/// `statement` is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_statement_status(
    statement: *mut sys::sqlite3_stmt,
    counter: c_int,
    reset: c_int,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe { sys::sqlite3_stmt_status(statement, counter, reset) }
}

/// Takes a statement back to its beginning. Its bindings stay.
///
/// # Safety
/// `statement` is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_reset(statement: *mut sys::sqlite3_stmt) {
    // SAFETY: as the caller promises. Its answer is the error of the last step, which was told then.
    unsafe { sys::sqlite3_reset(statement) };
}

/// Forgets the bindings and makes new ones, of the inbox's first `count` parameters.
///
/// # Safety
/// `statement` is live and `parameters` holds them (`params.rs`) for as long as `lifetime` says.
unsafe fn bind(statement: *mut sys::sqlite3_stmt, parameters: *const u8, count: usize, lifetime: Lifetime) -> c_int {
    // SAFETY: as the caller promises. A statement must be at its beginning to be bound.
    unsafe {
        sys::sqlite3_reset(statement);
        sys::sqlite3_clear_bindings(statement);
        if count == 0 { sys::SQLITE_OK } else { params::bind(statement, parameters, count, lifetime) }
    }
}

/// Binds a statement, for [`kit_rows`] to step.
///
/// # Safety
/// `statement` is live and `parameters` holds the inbox's parameters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_bind(statement: *mut sys::sqlite3_stmt, parameters: *const u8, count: usize) -> c_int {
    // To reset a statement can call JavaScript, which has an end made of an aggregate that was left half-way.
    let _parameters = inbox::hold();
    // SAFETY: as the caller promises.
    unsafe { bind(statement, parameters, count, Lifetime::Moment) }
}

/// Binds and runs a statement to its end, for what it changes. The outbox has the number of changes and the last rowid.
///
/// # Safety
/// As [`kit_bind`]; and the statement's bindings are not looked at afterwards, until it is bound again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_run(statement: *mut sys::sqlite3_stmt, parameters: *const u8, count: usize) -> c_int {
    outbox::begin();
    let _held = inbox::hold();
    // SAFETY: as the caller promises.
    unsafe {
        let code = bind(statement, parameters, count, Lifetime::Call);
        if code != sys::SQLITE_OK {
            return code;
        }
        while sys::sqlite3_step(statement) == sys::SQLITE_ROW {}
        let db = sys::sqlite3_db_handle(statement);
        // The code of a step that failed comes again from reset, which also writes the message anew: so explain it last.
        let code = sys::sqlite3_reset(statement);
        if code != sys::SQLITE_OK {
            outbox::explain(db, code);
            return code;
        }
        outbox::update(|words| {
            words.changes = sys::sqlite3_changes64(db);
            words.last_insert_rowid = sys::sqlite3_last_insert_rowid(db);
        });
        code
    }
}

/// Steps through rows and puts them into the outbox's batch, until it has `max_rows` or is large enough. Answers
/// `SQLITE_ROW` when there may be more, `SQLITE_DONE` at the end, or the code of a failure; in every case the batch has the
/// rows that came before. The statement is reset unless the answer is `SQLITE_ROW`.
///
/// A row for which JavaScript was called is the last of its batch, unless all are asked for: whoever takes rows one by one sees what
/// the calls do at the time when they are made.
///
/// # Safety
/// `statement` is live.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_rows(statement: *mut sys::sqlite3_stmt, max_rows: usize, big_integers: c_int) -> c_int {
    outbox::begin();
    let mut batch = outbox::take_batch();
    batch.clear(0);
    // SAFETY: as the caller promises; a row is read while the statement stands on it.
    unsafe {
        let mut code;
        let calls = callbacks::count();
        loop {
            code = sys::sqlite3_step(statement);
            if code != sys::SQLITE_ROW {
                break;
            }
            if batch.rows() == 0 {
                // Only now: the first step may have prepared the statement anew, with another number of columns.
                batch.clear(usize::try_from(sys::sqlite3_column_count(statement)).unwrap_or(0));
            }
            if batch.push_row(statement, big_integers != 0).is_err() {
                code = sys::SQLITE_NOMEM;
                break;
            }
            if batch.rows() >= max_rows || batch.is_full() {
                break;
            }
            if calls != callbacks::count() && max_rows != usize::MAX {
                break;
            }
        }
        if code != sys::SQLITE_ROW {
            let reset = sys::sqlite3_reset(statement);
            if code != sys::SQLITE_DONE {
                let db = sys::sqlite3_db_handle(statement);
                if reset == sys::SQLITE_OK {
                    // It was ours, not SQLite's.
                    sys::sqlite3_set_errmsg(db, code, c"out of memory for a row".as_ptr());
                }
                outbox::explain(db, code);
            }
        }
        let reprepared = sys::sqlite3_stmt_status(statement, sys::SQLITE_STMTSTATUS_REPREPARE, 0);
        outbox::give_batch(batch, usize::try_from(reprepared).unwrap_or(0));
        code
    }
}

/// [`kit_bind`] and [`kit_rows`] in one, for as many rows as one batch holds.
///
/// # Safety
/// As [`kit_bind`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_all(
    statement: *mut sys::sqlite3_stmt,
    parameters: *const u8,
    count: usize,
    big_integers: c_int,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        let code = kit_bind(statement, parameters, count);
        if code == sys::SQLITE_OK { kit_rows(statement, usize::MAX, big_integers) } else { bind_failed(code) }
    }
}

/// Binds a statement and reads its first row, if it has one. Answers `SQLITE_ROW`, `SQLITE_DONE`, or the code of a failure.
///
/// # Safety
/// As [`kit_run`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kit_get(
    statement: *mut sys::sqlite3_stmt,
    parameters: *const u8,
    count: usize,
    big_integers: c_int,
) -> c_int {
    let _held = inbox::hold();
    // SAFETY: as the caller promises.
    unsafe {
        let code = bind(statement, parameters, count, Lifetime::Call);
        if code != sys::SQLITE_OK {
            return bind_failed(code);
        }
        let code = kit_rows(statement, 1, big_integers);
        if code == sys::SQLITE_ROW {
            sys::sqlite3_reset(statement);
        }
        code
    }
}

/// Answers no rows.
#[cold]
fn bind_failed(code: c_int) -> c_int {
    let mut batch = outbox::take_batch();
    batch.clear(0);
    outbox::give_batch(batch, 0);
    code
}
