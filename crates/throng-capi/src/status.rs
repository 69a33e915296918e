//! What every function returns, the message of the last failure, and the boundary that no panic crosses.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use throng::WorldError;

/// What a function returns. Numbers keep their meaning in later versions; new ones may be added.
#[repr(u32)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ThrongStatus {
    /// The call was carried out.
    Ok = 0,
    /// A pointer is null that must not be.
    NullPointer = 1,
    /// A pointer is not aligned for its type.
    Misaligned = 2,
    /// An array is larger than the address space, or the `struct_size` of a structure is not that of this version.
    WrongSize = 3,
    /// The array is too small. Its first entries are written, and the number of entries that there are.
    BufferTooSmall = 4,
    /// The handle is 0.
    NullHandle = 5,
    /// No object of this type has or had this handle.
    BadHandle = 6,
    /// The object was freed.
    StaleHandle = 7,
    /// Another thread uses the object.
    Busy = 8,
    /// An earlier call panicked while it changed the object, which may be inconsistent. It can only be freed.
    Poisoned = 9,
    /// The call panicked, which is a bug of the library. The message is that of the panic.
    Panic = 10,
    /// An argument has a value that its documentation does not name.
    InvalidArgument = 11,
    /// A text is not UTF-8, or has no end within 4,096 bytes.
    InvalidText = 12,
    /// The world has refused some entries of a batch, and has carried out the others. The message is that of the first.
    SomeRefused = 13,
    /// The library was built without what the call needs.
    Unsupported = 14,
    /// A position is outside the map.
    Outside = 20,
    /// An agent of this profile cannot stand there.
    Blocked = 21,
    /// A unit is there.
    Occupied = 22,
    /// No agent has or had this id.
    NoSuchAgent = 23,
    /// The agent was removed from the world.
    RemovedAgent = 24,
    /// No foreign unit has or had this id.
    NoSuchForeign = 25,
    /// The foreign unit was removed from the world.
    RemovedForeign = 26,
    /// The map has no such profile.
    NoSuchProfile = 27,
    /// The agent has as many waypoints as it can have.
    TooManyWaypoints = 28,
    /// A patrol needs a point.
    NoWaypoint = 29,
    /// The agent does not patrol.
    NoPatrol = 30,
    /// An agent cannot follow itself.
    FollowsItself = 31,
    /// A cost overlay is refused.
    Overlay = 32,
    /// The world refuses the call for another reason, which the message says.
    Refused = 39,
    /// The map cannot be read, generated or created.
    InvalidMap = 40,
    /// No planner has this name, or a parameter is wrong.
    InvalidPlanner = 41,
    /// Planner, map and settings do not fit together.
    InvalidSetup = 42,
    /// The bytes are not a snapshot that can be continued.
    InvalidSnapshot = 43,
    /// The bytes are not a recording.
    InvalidRecording = 44,
    /// The world is not being recorded.
    NotRecording = 45,
}

impl ThrongStatus {
    /// All values.
    pub(crate) const ALL: [Self; 35] = [
        Self::Ok,
        Self::NullPointer,
        Self::Misaligned,
        Self::WrongSize,
        Self::BufferTooSmall,
        Self::NullHandle,
        Self::BadHandle,
        Self::StaleHandle,
        Self::Busy,
        Self::Poisoned,
        Self::Panic,
        Self::InvalidArgument,
        Self::InvalidText,
        Self::SomeRefused,
        Self::Unsupported,
        Self::Outside,
        Self::Blocked,
        Self::Occupied,
        Self::NoSuchAgent,
        Self::RemovedAgent,
        Self::NoSuchForeign,
        Self::RemovedForeign,
        Self::NoSuchProfile,
        Self::TooManyWaypoints,
        Self::NoWaypoint,
        Self::NoPatrol,
        Self::FollowsItself,
        Self::Overlay,
        Self::Refused,
        Self::InvalidMap,
        Self::InvalidPlanner,
        Self::InvalidSetup,
        Self::InvalidSnapshot,
        Self::InvalidRecording,
        Self::NotRecording,
    ];

    /// Returns the name of the status in the header.
    pub(crate) fn name(self) -> String {
        let mut name = "THRONG_STATUS".to_owned();
        for letter in format!("{self:?}").chars() {
            if letter.is_ascii_uppercase() {
                name.push('_');
            }
            name.push(letter.to_ascii_uppercase());
        }
        name
    }
}

/// Why a call fails.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: ThrongStatus,
    message: String,
}

/// What the body of a call returns.
pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl Failure {
    pub(crate) fn new(status: ThrongStatus, message: impl Into<String>) -> Self {
        Self { status, message: message.into() }
    }

    /// An argument has a wrong value.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(ThrongStatus::InvalidArgument, message)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<WorldError> for Failure {
    fn from(error: WorldError) -> Self {
        Self::new(refusal(error), error.to_string())
    }
}

/// Returns the status of a refusal.
pub(crate) fn refusal(error: WorldError) -> ThrongStatus {
    match error {
        WorldError::Outside(_) => ThrongStatus::Outside,
        WorldError::Blocked(_) => ThrongStatus::Blocked,
        WorldError::Occupied(_) => ThrongStatus::Occupied,
        WorldError::NoSuchAgent(_) => ThrongStatus::NoSuchAgent,
        WorldError::RemovedAgent(_) => ThrongStatus::RemovedAgent,
        WorldError::NoSuchForeign(_) => ThrongStatus::NoSuchForeign,
        WorldError::RemovedForeign(_) => ThrongStatus::RemovedForeign,
        WorldError::NoSuchProfile(_) => ThrongStatus::NoSuchProfile,
        WorldError::TooManyWaypoints => ThrongStatus::TooManyWaypoints,
        WorldError::NoWaypoint => ThrongStatus::NoWaypoint,
        WorldError::NoPatrol(_) => ThrongStatus::NoPatrol,
        WorldError::FollowsItself(_) => ThrongStatus::FollowsItself,
        WorldError::Overlay(_) => ThrongStatus::Overlay,
        _ => ThrongStatus::Refused,
    }
}

thread_local! {
    /// The message of the last failure of this thread.
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Carries out the body of an exported function. Keeps the message of a failure, and turns a panic into a status, so that
/// it does not cross the boundary.
pub(crate) fn call(body: impl FnOnce() -> Outcome) -> ThrongStatus {
    // A panic leaves nothing half changed: objects are behind locks that are poisoned then.
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return ThrongStatus::Ok,
        Ok(Err(failure)) => failure,
        Err(payload) => Failure::new(ThrongStatus::Panic, panic_message(payload.as_ref())),
    };
    set_message(failure.message);
    failure.status
}

/// Sets the message of the last failure of this thread.
pub(crate) fn set_message(text: String) {
    // A thread that ends has no message any more.
    let _ = MESSAGE.try_with(|message| message.replace(text));
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    format!("the library panicked: {}", text.unwrap_or("no message"))
}

/// Returns the message of the last failure of this thread; empty if no call has failed.
pub(crate) fn last_message() -> String {
    MESSAGE.try_with(|message| message.borrow().clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_status_with_its_message() {
        assert_eq!(call(|| panic!("number {}", 7)), ThrongStatus::Panic);
        assert_eq!(last_message(), "the library panicked: number 7");
        assert_eq!(call(|| std::panic::panic_any(3_u8)), ThrongStatus::Panic);
        assert_eq!(last_message(), "the library panicked: no message");
    }

    #[test]
    fn success_keeps_the_message_and_threads_have_their_own() {
        assert_eq!(call(|| Err(Failure::invalid("first"))), ThrongStatus::InvalidArgument);
        assert_eq!(call(|| Ok(())), ThrongStatus::Ok);
        assert_eq!(last_message(), "first");
        let other = std::thread::spawn(last_message).join();
        assert_eq!(other.ok(), Some(String::new()));
    }
}
