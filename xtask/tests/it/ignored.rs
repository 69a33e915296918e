//! Ignored tests say why they are ignored, and tests that need published maps are ignored instead of passing without them.
//!
//! There are two kinds. `#[ignore = "needs THRONG_DATA: …"]`: `cargo xtask test` runs them when `THRONG_DATA` is set.
//! `#[ignore = "soak: …"]`, with a name that starts with `soak_`: only `cargo xtask soak` runs them.

use std::path::{Path, PathBuf};

use crate::{files, read};

/// Reads of the variable in Rust code, put together so that this file does not contain them.
const READS: [&str; 2] =
    [concat!("env::var_os(\"THRONG", "_DATA\")"), concat!("env::var(\"THRONG", "_DATA\")")];

/// A function of a source file: the attributes before it, its name and its text.
struct Function {
    file: PathBuf,
    name: String,
    attributes: Vec<String>,
    body: String,
}

impl Function {
    fn is_test(&self) -> bool {
        self.attributes.iter().any(|attribute| attribute == "#[test]")
    }

    /// The reason of `#[ignore]`, empty if the attribute gives none; `None` if the function is not ignored.
    fn ignore_reason(&self) -> Option<&str> {
        let attribute = self.attributes.iter().find_map(|attribute| attribute.strip_prefix("#[ignore"))?;
        Some(attribute.trim_start_matches(" = \"").trim_end_matches("\"]").trim_end_matches(']'))
    }

    fn place(&self) -> String {
        format!("{}: {}", self.file.display(), self.name)
    }
}

/// Splits a file into its functions. A function ends at the closing brace with the indentation of its first line.
fn functions(file: &Path, text: &str) -> Vec<Function> {
    let mut found = Vec::new();
    let mut attributes = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        let declaration = code.strip_prefix("pub(crate) ").or(code.strip_prefix("pub ")).unwrap_or(code);
        if code.starts_with("#[") {
            attributes.push(code.to_owned());
        } else if let Some(rest) = declaration.strip_prefix("fn ") {
            let end = format!("{}}}", &line[..line.len() - code.len()]);
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap().to_owned();
            let mut body = line.to_owned();
            if !line.trim_end().ends_with(['}', ';']) {
                body.extend(lines.by_ref().take_while(|line| *line != end).flat_map(|line| ["\n", line]));
            }
            found.push(Function {
                file: file.to_owned(),
                name,
                attributes: std::mem::take(&mut attributes),
                body,
            });
        } else if !code.starts_with("//") {
            attributes.clear();
        }
    }
    found
}

/// All functions in the tests of a crate: `tests/` and the files of `src/` that contain tests.
fn test_functions() -> Vec<Vec<Function>> {
    let mut crates: Vec<(PathBuf, Vec<Function>)> = Vec::new();
    for path in files().iter().filter(|path| path.extension().is_some_and(|end| end == "rs")) {
        let text = read(path);
        if !text.contains("#[test]") && !path.components().any(|part| part.as_os_str() == "tests") {
            continue;
        }
        let folder: PathBuf = path.components().take(2).collect();
        if crates.last().is_none_or(|(last, _)| *last != folder) {
            crates.push((folder, Vec::new()));
        }
        crates.last_mut().unwrap().1.extend(functions(path, &text));
    }
    crates.into_iter().map(|(_, functions)| functions).collect()
}

/// Returns true if one function calls another by its name, or by `file::name` if it is in another file.
fn calls(caller: &Function, callee: &Function) -> bool {
    let call = if caller.file == callee.file {
        format!("{}(", callee.name)
    } else {
        format!("{}::{}(", callee.file.file_stem().unwrap().display(), callee.name)
    };
    // Not a method, nor the end of a longer name.
    let starts = |at: usize| {
        !caller.body[..at].ends_with(|c: char| c.is_alphanumeric() || ['_', '.', ':'].contains(&c))
            || (caller.file != callee.file && caller.body[..at].ends_with("::"))
    };
    caller.name != callee.name && caller.body.match_indices(&call).any(|(at, _)| starts(at))
}

/// The functions of a crate's tests that read the variable, directly or through another function of the tests.
fn readers(functions: &[Function]) -> Vec<&Function> {
    let reads = |function: &&Function| READS.iter().any(|read| function.body.contains(read));
    let mut found: Vec<&Function> = functions.iter().filter(reads).collect();
    let mut next = 0;
    while let Some(&callee) = found.get(next) {
        next += 1;
        for caller in functions.iter().filter(|caller| calls(caller, callee)) {
            if !found.iter().any(|known| std::ptr::eq(*known, caller)) {
                found.push(caller);
            }
        }
    }
    found
}

#[test]
fn every_ignored_test_has_a_known_reason() {
    let mut wrong = Vec::new();
    let all = test_functions();
    for function in all.iter().flatten() {
        let soak = function.name.starts_with("soak_");
        match function.ignore_reason() {
            Some(reason) if reason.starts_with("needs THRONG_DATA: ") && !soak => {}
            Some(reason) if reason.starts_with("soak: ") && soak => {}
            None if !(soak && function.is_test()) => {}
            reason => wrong.push(format!("{}: {reason:?}", function.place())),
        }
    }
    assert!(
        wrong.is_empty(),
        "ignored tests need the reason \"needs THRONG_DATA: …\", or \"soak: …\" and a name that starts with soak_: \
         {wrong:#?}"
    );
}

#[test]
fn every_test_that_reads_published_maps_is_ignored() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for functions in test_functions() {
        for function in readers(&functions).into_iter().filter(|function| function.is_test()) {
            count += 1;
            if function.ignore_reason().is_none() {
                wrong.push(function.place());
            }
        }
    }
    assert!(count > 0, "the tests that read THRONG_DATA are found");
    assert!(wrong.is_empty(), "tests that read THRONG_DATA without #[ignore]: {wrong:#?}");
}

#[test]
fn functions_are_found_with_attributes_and_callers() {
    let source = format!(
        "#[test]\n#[ignore = \"needs THRONG_DATA: x\"]\nfn one() {{\n    data();\n}}\n\n/// Text.\nfn data() {{\n    {};\n}}\n\
         #[test]\nfn two() {{}}\n#[test]\n#[ignore]\nfn three() {{\n    other();\n}}\n",
        READS[0]
    );
    let functions = functions(Path::new("a.rs"), &source);
    let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    assert_eq!(names, ["one", "data", "two", "three"]);
    let reasons: Vec<_> = functions.iter().map(Function::ignore_reason).collect();
    assert_eq!(reasons, [Some("needs THRONG_DATA: x"), None, None, Some("")]);
    let readers: Vec<&str> = readers(&functions).iter().map(|function| function.name.as_str()).collect();
    assert_eq!(readers, ["data", "one"]);
}
