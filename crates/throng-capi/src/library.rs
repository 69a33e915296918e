//! Functions about the library itself: versions, names, the message of the last failure; and bytes that it has made.

use std::ffi::c_char;

use crate::handles::Table;
use crate::memory::pointers;
use crate::status::{Failure, ThrongStatus, call, last_message};
use crate::types::{THRONG_ABI_VERSION, ThrongBytes};

/// The bytes that the caller holds.
pub(crate) static BYTES: Table<Vec<u8>> = Table::new("bytes", 3);

/// Writes the version of the library, such as `0.1.0`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_version(
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { text = output(text, capacity); length = place(length); }
        text.fill_text(env!("CARGO_PKG_VERSION"), length)
    })
}

/// Returns the version of the binary interface, `THRONG_ABI_VERSION` in the header of the library. A program that loads
/// the library at run time compares it with its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_abi_version(version: *mut u32) -> ThrongStatus {
    call(|| {
        pointers! { version = place(version); }
        version.set(0, THRONG_ABI_VERSION);
        Ok(())
    })
}

/// Writes the message of the last call of this thread that failed; empty if none has. A call of this function that fails
/// keeps the message.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_last_error(
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> ThrongStatus {
    let message = last_message();
    let status = call(|| {
        pointers! { text = output(text, capacity); length = place(length); }
        text.fill_text(&message, length)
    });
    if status != ThrongStatus::Ok {
        crate::status::set_message(message);
    }
    status
}

/// Writes the name of a status, such as `THRONG_STATUS_BUSY`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_status_name(
    status: u32,
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { text = output(text, capacity); length = place(length); }
        let known = ThrongStatus::ALL.into_iter().find(|known| *known as u32 == status);
        let known = known.ok_or_else(|| Failure::invalid(format!("there is no status {status}")))?;
        text.fill_text(&known.name(), length)
    })
}

/// Writes the names of all planners, separated by line ends. `throng_world_create` takes a name with parameters, such as
/// `surge` or `far:reserve=3`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_planner_names(
    text: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { text = output(text, capacity); length = place(length); }
        let names: Vec<&str> = throng::PLANNERS.iter().map(|planner| planner.name).collect();
        text.fill_text(&names.join("\n"), length)
    })
}

/// Copies bytes that the library has made. To learn their number, pass a capacity of 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_bytes_read(
    bytes: ThrongBytes,
    buffer: *mut u8,
    capacity: usize,
    count: *mut usize,
) -> ThrongStatus {
    call(|| {
        pointers! { buffer = output(buffer, capacity); count = place(count); }
        BYTES.read(bytes, |bytes| {
            let fitting = buffer.capacity().min(bytes.len());
            bytes[..fitting].iter().enumerate().for_each(|(i, byte)| buffer.set(i, *byte));
            count.set(0, bytes.len());
            buffer.has_room_for(bytes.len())
        })
    })
}

/// Frees bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn throng_bytes_free(bytes: ThrongBytes) -> ThrongStatus {
    call(|| BYTES.remove(bytes).map(drop))
}
