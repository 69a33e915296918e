//! `cargo xtask instructions [--write]`: the instructions of the main benchmarks, counted by callgrind and compared with those in
//! `bench/instructions.txt`. A change of more than 5 % is shown; `--write` keeps the new counts.
//!
//! Counts do not depend on load and hardly on the machine, unlike times: the compiler makes code for the oldest processors of
//! the target unless `RUSTFLAGS` says otherwise, so these are not passed on; and the file names the compiler and the target, without which
//! counts are not compared. What remains are copies of memory in the C library, which chooses them by the processor: below a percent.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::programs::{cargo, install, output, root, target, works};

/// The counts of the last change that was meant to change them.
const KEPT: &str = "bench/instructions.txt";
/// A change that is shown, in percent.
const LIMIT: f64 = 5.0;

/// Counts by workload.
type Counts = BTreeMap<String, u64>;

/// Counts, compares, and keeps the counts if `--write` is given.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let write = match words {
        [] => false,
        ["--write"] => true,
        [extra, ..] => bail!("unexpected argument {extra:?}"),
    };
    if !has_valgrind() {
        println!("skipped: valgrind is not installed, and apt-get cannot install it");
        return Ok(());
    }
    let program = build()?;
    let names = output(&mut Command::new(&program)).context("the workloads cannot be listed")?;
    let names: Vec<&str> = names.lines().collect();
    let counts = count_all(&program, &names)?;
    let (head, file) = (head()?, root().join(KEPT));
    if write {
        std::fs::write(&file, render(&head, &counts))?;
        println!("wrote {KEPT}");
        return Ok(());
    }
    let kept = std::fs::read_to_string(&file).with_context(|| format!("{KEPT} cannot be read"))?;
    if kept.lines().next() != Some(head.as_str()) {
        println!("not compared: the counts in {KEPT} are of another compiler or target\n  here: {head}");
        return Ok(());
    }
    print!("{}", compare(&parse(&kept)?, &counts));
    Ok(())
}

/// Returns true if valgrind is installed, which Debian's packages have.
fn has_valgrind() -> bool {
    if !works("valgrind", "--version") {
        install(&["valgrind"]);
    }
    works("valgrind", "--version")
}

/// Builds the program with the workloads and returns its path.
fn build() -> Result<PathBuf> {
    let status = cargo()
        .args(["build", "--quiet", "--release", "--package", "throng", "--example", "instructions"])
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status()?;
    ensure!(status.success(), "the workloads cannot be built");
    Ok(target().join("release/examples/instructions"))
}

/// Counts the instructions of all workloads, as many at a time as there are processors.
fn count_all(program: &Path, names: &[&str]) -> Result<Counts> {
    let folder = target().join("instructions");
    std::fs::create_dir_all(&folder)?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let next = std::sync::atomic::AtomicUsize::new(0);
    let take = || names.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
    let work = || {
        std::iter::from_fn(take)
            .map(|name| Ok(((*name).to_owned(), count(program, name, &folder)?)))
            .collect::<Result<Vec<_>>>()
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let mut counts = Counts::new();
        for worker in workers {
            counts.extend(worker.join().expect("a thread that counts does not panic")?);
        }
        Ok(counts)
    })
}

/// Counts the instructions of one workload.
fn count(program: &Path, name: &str, folder: &Path) -> Result<u64> {
    let file = folder.join(format!("{name}.out"));
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "--toggle-collect=*measured*"])
        .arg(format!("--callgrind-out-file={}", file.display()))
        .args([program.as_os_str(), name.as_ref()])
        .output()?;
    ensure!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&file)?;
    let total =
        text.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
    let count = total.and_then(|count| count.trim().parse().ok()).unwrap_or(0);
    ensure!(count > 0, "{name}: callgrind has counted nothing");
    Ok(count)
}

/// Returns the first line of the file: what counts depend on.
fn head() -> Result<String> {
    let version = output(Command::new("rustc").arg("-vV")).context("rustc cannot be started")?;
    let line = |start: &str| version.lines().find(|line| line.starts_with(start)).unwrap_or_default();
    Ok(format!("# {}, {}", line("rustc"), line("host: ").trim_start_matches("host: ")))
}

fn render(head: &str, counts: &Counts) -> String {
    let lines = counts.iter().map(|(name, count)| format!("{name} {count}\n"));
    std::iter::once(format!("{head}\n")).chain(lines).collect()
}

fn parse(text: &str) -> Result<Counts> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let parse = |line: &str| {
        let (name, count) = line.split_once(' ').with_context(|| format!("{KEPT}: {line:?}"))?;
        Ok((name.to_owned(), count.parse().with_context(|| format!("{KEPT}: {line:?}"))?))
    };
    lines.map(parse).collect()
}

/// Returns the table of changes.
fn compare(kept: &Counts, now: &Counts) -> String {
    let mut table = format!("{:<16} {:>14} {:>14}  change\n", "workload", "kept", "now");
    let mut changed = 0;
    for name in kept.keys().chain(now.keys().filter(|name| !kept.contains_key(*name))) {
        let (before, after) = (kept.get(name), now.get(name));
        let show = |count: Option<&u64>| count.map_or_else(|| "-".to_owned(), ToString::to_string);
        let change = match (before, after) {
            (Some(&before), Some(&after)) => (after as f64 / before as f64 - 1.0) * 100.0,
            _ => f64::INFINITY,
        };
        let is_changed = change.abs() > LIMIT;
        changed += u32::from(is_changed);
        let mark = if is_changed { "  <== CHANGED" } else { "" };
        let (before, after) = (show(before), show(after));
        let _ = writeln!(table, "{name:<16} {before:>14} {after:>14} {change:>+6.1} %{mark}");
    }
    if changed > 0 {
        let _ = writeln!(
            table,
            "{changed} counts have changed by more than {LIMIT} %. Say why in the commit, and keep"
        );
        table += "them with `cargo xtask instructions --write`\n";
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(list: &[(&str, u64)]) -> Counts {
        list.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
    }

    #[test]
    fn only_changes_beyond_the_limit_are_shown() {
        let kept = counts(&[("less", 1_000), ("more", 1_000), ("much-less", 1_000), ("much-more", 1_000)]);
        let now = counts(&[("less", 951), ("more", 1_049), ("much-less", 949), ("much-more", 1_051)]);
        let table = compare(&kept, &now);
        let shown: Vec<&str> = table.lines().filter(|line| line.ends_with("CHANGED")).collect();
        assert_eq!(shown.len(), 2, "{table}");
        assert!(shown[0].starts_with("much-less") && shown[1].starts_with("much-more"), "{table}");
        assert!(table.contains("2 counts have changed"), "{table}");
        assert!(!compare(&kept, &kept).contains("CHANGED"));
        // A workload that is new or gone is a change.
        assert_eq!(compare(&kept, &Counts::new()).matches("CHANGED").count(), 4);
        assert_eq!(compare(&Counts::new(), &kept).matches("CHANGED").count(), 4);
    }

    #[test]
    fn the_kept_counts_are_those_of_the_workloads() {
        let kept = parse(&std::fs::read_to_string(root().join(KEPT)).unwrap()).unwrap();
        let source = std::fs::read_to_string(root().join("crates/throng/examples/instructions.rs")).unwrap();
        let (_, table) = source.split_once("const WORKLOADS").unwrap();
        let (table, _) = table.split_once("];").unwrap();
        let rows = table.lines().filter_map(|line| line.trim().strip_prefix("(\""));
        let names: Vec<&str> = rows.filter_map(|rest| rest.split('"').next()).collect();
        assert!(names.len() > 10, "{names:?}");
        let named: Vec<&String> =
            names.iter().filter_map(|name| kept.get_key_value(*name)).map(|(name, _)| name).collect();
        assert_eq!(named.len(), kept.len(), "{KEPT} has other workloads: {kept:?}");
        assert_eq!(kept.len(), names.len(), "{KEPT} lacks a workload of {names:?}");
        assert_eq!(parse(&render("# head", &kept)).unwrap(), kept);
    }
}
