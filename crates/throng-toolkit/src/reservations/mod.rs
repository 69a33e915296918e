//! Reservations of cells: for the next few moves (FAR), or in space and time (WHCA*).

mod moves;
mod space_time;
mod table;

pub use moves::MoveReservations;
pub use space_time::{SpaceTime, SpaceTimeHeuristic};
pub use table::ReservationTable;
