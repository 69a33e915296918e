//! The limits on the files of the laboratory and of downloads, and the table of all limits.

pub use throng_grid::limits::{Limit, LimitError};

/// An experiment file.
pub const EXPERIMENT_FILE: Limit = Limit {
    name: "experiment-file",
    max: 1 << 20,
    unit: "bytes",
    what: "an experiment file",
    reason: "the project's own experiments have at most 10 kB",
};

/// The values of one key of an experiment.
pub const EXPERIMENT_VALUES: Limit = Limit {
    name: "experiment-values",
    max: 100_000,
    unit: "values",
    what: "a list in an experiment",
    reason: "a list of every problem of a published scenario file has ten thousand",
};

/// The problems of an experiment with equal settings.
pub const EXPERIMENT_INSTANCES: Limit = Limit {
    name: "experiment-instances",
    max: 100_000,
    unit: "instances",
    what: "a number of instances",
    reason: "more are taken for a mistake",
};

/// The runs of an experiment.
pub const EXPERIMENT_RUNS: Limit = Limit {
    name: "experiment-runs",
    max: 5_000_000,
    unit: "runs",
    what: "the axes of an experiment make a plan, which",
    reason: "a plan needs four bytes per run; more runs are taken for a mistake",
};

/// A journal of results.
pub const JOURNAL_FILE: Limit = Limit {
    name: "journal-file",
    max: 2 << 30,
    unit: "bytes",
    what: "a journal",
    reason: "500,000 runs have about 500 MB",
};

/// A table of results or data.
pub const TABLE_FILE: Limit = Limit {
    name: "table-file",
    max: 1 << 30,
    unit: "bytes",
    what: "a table",
    reason: "a million runs have about 300 MB",
};

/// The metadata of a table.
pub const TABLE_METADATA: Limit = Limit {
    name: "table-metadata",
    max: 4 << 20,
    unit: "bytes",
    what: "the metadata of a table",
    reason: "tables of throng have below 100 kB; reading takes a multiple of its size",
};

/// The values of a table per byte of its file.
pub const TABLE_VALUES_PER_BYTE: Limit = Limit {
    name: "table-values-per-byte",
    max: 64,
    unit: "values per byte",
    what: "a table",
    reason: "a row of results has about 130 values, and its key alone takes 16 bytes",
};

/// The bytes of a table after decompression per byte of its file.
pub const TABLE_EXPANSION: Limit = Limit {
    name: "table-expansion",
    max: 64,
    unit: "bytes per byte",
    what: "an uncompressed table",
    reason: "Snappy compresses to a twenty-second at best",
};

/// The bytes of all texts of a table per byte of its file.
pub const TABLE_TEXT_PER_BYTE: Limit = Limit {
    name: "table-text-per-byte",
    max: 256,
    unit: "bytes per byte",
    what: "the text of a table",
    reason: "texts that repeat are stored once; results have about 25",
};

/// A report or paper file.
pub const REPORT_FILE: Limit = Limit {
    name: "report-file",
    max: 1 << 20,
    unit: "bytes",
    what: "a report file",
    reason: "the project's own have at most 20 kB",
};

/// A downloaded archive.
pub const ARCHIVE_FILE: Limit = Limit {
    name: "archive-file",
    max: 1 << 30,
    unit: "bytes",
    what: "an archive",
    reason: "the published archives have less than a tenth of it",
};

/// The entries of an archive.
pub const ARCHIVE_ENTRIES: Limit = Limit {
    name: "archive-entries",
    max: 50_000,
    unit: "entries",
    what: "an archive",
    reason: "the largest published archive has below 4,000",
};

/// A file in an archive.
pub const ARCHIVE_ENTRY: Limit = Limit {
    name: "archive-entry",
    max: 32 << 20,
    unit: "bytes",
    what: "an entry of an archive",
    reason: "twice the largest map",
};

/// All files of an archive.
pub const ARCHIVE_TOTAL: Limit = Limit {
    name: "archive-total",
    max: 4 << 30,
    unit: "bytes",
    what: "an unpacked archive",
    reason: "the largest published archive has below 500 MB",
};

/// The time of one download.
pub const DOWNLOAD_TIME: Limit = Limit {
    name: "download-time",
    max: 2 * 3_600,
    unit: "seconds",
    what: "a download",
    reason: "100 MB at 14 kB per second; an interrupted download is resumed by the next call",
};

/// The limits of the laboratory and of downloads.
pub const LIMITS: &[Limit] = &[
    EXPERIMENT_FILE,
    EXPERIMENT_VALUES,
    EXPERIMENT_INSTANCES,
    EXPERIMENT_RUNS,
    REPORT_FILE,
    JOURNAL_FILE,
    TABLE_FILE,
    TABLE_METADATA,
    TABLE_VALUES_PER_BYTE,
    TABLE_EXPANSION,
    TABLE_TEXT_PER_BYTE,
    ARCHIVE_FILE,
    ARCHIVE_ENTRIES,
    ARCHIVE_ENTRY,
    ARCHIVE_TOTAL,
    DOWNLOAD_TIME,
];

/// Returns the limits of all libraries, from maps to downloads.
pub fn all() -> impl Iterator<Item = &'static Limit> {
    let of_crates = [
        throng_grid::limits::LIMITS,
        throng_crowd::limits::LIMITS,
        throng_toolkit::LIMITS,
        throng_cpd::LIMITS,
        throng_select::LIMITS,
        LIMITS,
    ];
    of_crates.into_iter().flatten()
}
