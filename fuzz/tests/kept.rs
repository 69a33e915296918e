//! Every kept input through its target, without a fuzzer: `cargo test --no-default-features` in this folder needs no C++ compiler.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use throng_fuzz::TARGETS;

/// Returns the entries of a folder by name.
fn entries(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut entries: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

#[test]
fn every_target_has_a_program_and_a_seed() {
    let named: BTreeSet<String> = TARGETS.iter().map(|(name, _)| (*name).to_owned()).collect();
    assert_eq!(entries("fuzz_targets").iter().map(|path| stem(path)).collect::<BTreeSet<_>>(), named);
    assert_eq!(entries("corpus").iter().map(|path| stem(path)).collect::<BTreeSet<_>>(), named);
    assert!(entries("failures").iter().all(|path| named.contains(&stem(path))));
}

#[test]
fn every_kept_input_passes() {
    let mut inputs = 0;
    for (name, target) in TARGETS {
        for kind in ["corpus", "failures"] {
            let folder = format!("{kind}/{name}");
            if !Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder).is_dir() {
                continue;
            }
            for path in entries(&folder) {
                println!("{}", path.display());
                target(&std::fs::read(&path).unwrap());
                inputs += 1;
            }
        }
    }
    assert!(inputs >= TARGETS.len());
}

/// The bug on purpose is found by its message, so that another failure is not taken for it.
#[test]
#[cfg(feature = "canary")]
#[should_panic(expected = "the canary was found")]
fn the_canary_panics() {
    throng_fuzz::map(b"type octa");
}
