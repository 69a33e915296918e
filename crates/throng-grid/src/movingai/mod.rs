//! The MovingAI map and scenario formats, in which the benchmarks of the field are published.
//!
//! Readers take bytes and either return exactly the content of the file or an error with line and column; they repair
//! nothing. Their memory use is bounded by the length of the input, whatever sizes the input claims.
//!
//! Reference: N. Sturtevant, "Benchmarks for Grid-Based Pathfinding", IEEE Transactions on Computational Intelligence
//! and AI in Games 4(2), 2012.
//!
//! ```
//! use throng_grid::movingai::{read_map, write_map};
//!
//! let bytes = b"type octile\nheight 2\nwidth 3\nmap\n..@\n.T.\n";
//! let tiles = read_map(bytes).unwrap();
//! assert_eq!(write_map(&tiles), bytes);
//!
//! let error = read_map(b"type octile\nheight 2\nwidth 3\nmap\n..@\n.x.\n").unwrap_err();
//! assert_eq!(error.to_string(), "6:2: found `x`, expected one of . G S W T @ O");
//! ```

mod error;
mod lines;
mod map;
mod scen;

pub use error::{ParseError, ParseProblem};
pub use map::{read_map, write_map};
pub use scen::{Flaw, Problem, Scenario, read_scenario, write_scenario};

pub(crate) use error::excerpt;
