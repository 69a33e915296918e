//! Where and with what runs are made: what every row says of the program and the machine.

use std::thread::available_parallelism;

use crate::Row;

/// What is known of the program and the machine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provenance {
    /// The commit that was built, with a plus when sources were changed; `unknown` outside of a repository.
    pub commit: &'static str,
    /// The version of throng.
    pub version: &'static str,
    /// The compiler.
    pub rustc: &'static str,
    /// The processor.
    pub machine: String,
    /// How many cores.
    pub cores: usize,
    /// The operating system and architecture.
    pub os: String,
}

impl Provenance {
    /// Of this program on this machine.
    pub fn here() -> Self {
        let os = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        Self {
            commit: env!("THRONG_COMMIT"),
            version: env!("CARGO_PKG_VERSION"),
            rustc: env!("THRONG_RUSTC"),
            machine: processor().unwrap_or_else(|| "unknown".to_owned()),
            cores: available_parallelism().map_or(1, usize::from),
            os,
        }
    }

    /// Writes it into a row.
    pub fn fill(&self, row: &mut Row) {
        row.set("commit", self.commit);
        row.set("version", self.version);
        row.set("rustc", self.rustc);
        row.set("machine", self.machine.as_str());
        row.set("cores", self.cores);
        row.set("os", self.os.as_str());
    }
}

/// The processor's name, where the system tells it in a file.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
