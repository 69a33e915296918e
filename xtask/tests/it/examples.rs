//! The documentation of `World` for games: every method has an example that is run, and the first methods come first.

use std::path::Path;

use crate::{files, read};

/// Methods that the documentation shows first, in this order.
const FIRST: [&str; 4] = ["new", "spawn", "send", "tick"];

/// Returns the public methods in the blocks `impl World` of a file, with their documentation.
fn methods(text: &str) -> Vec<(String, String)> {
    let (mut found, mut documentation, mut inside) = (Vec::new(), String::new(), false);
    for line in text.lines() {
        match line {
            "impl World {" => inside = true,
            "}" => inside = false,
            _ => {}
        }
        let Some(line) = line.strip_prefix("    ").filter(|_| inside) else { continue };
        let signature = line.strip_prefix("pub ").map(|rest| rest.trim_start_matches("const "));
        if let Some(comment) = line.strip_prefix("///") {
            documentation.push_str(comment.strip_prefix(' ').unwrap_or(comment));
            documentation.push('\n');
        } else if let Some(rest) = signature.and_then(|rest| rest.strip_prefix("fn ")) {
            let name = rest.split(['(', '<']).next().unwrap_or_default();
            found.push((name.to_owned(), std::mem::take(&mut documentation)));
        } else if !line.starts_with("#[") {
            documentation.clear();
        }
    }
    found
}

/// Returns true if all examples of a documentation are compiled and run together with those of other methods, which is cheap,
/// and there is one: the fences have no attributes such as `ignore`, `no_run` or `standalone_crate`.
fn has_example(documentation: &str) -> bool {
    let fences = documentation.lines().filter(|line| line.starts_with("```"));
    let mut opening = fences.step_by(2).peekable();
    opening.peek().is_some() && opening.all(|fence| fence == "```")
}

#[test]
fn every_public_method_of_world_has_an_example() {
    let source = Path::new("crates/throng-crowd/src");
    let sources = files().into_iter().filter(|path| path.starts_with(source));
    let methods: Vec<_> = sources.flat_map(|path| methods(&read(path))).collect();
    assert!(methods.len() >= 60, "too few methods were found: {}", methods.len());
    let missing: Vec<_> =
        methods.iter().filter(|(_, text)| !has_example(text)).map(|(name, _)| name).collect();
    assert!(missing.is_empty(), "methods of World without an example: {missing:?}");
    for first in FIRST {
        assert_eq!(methods.iter().filter(|(name, _)| name == first).count(), 1, "{first}");
    }
}

/// The documentation shows the methods in the order of the modules.
#[test]
fn the_documentation_of_world_begins_with_the_methods_that_every_game_calls() {
    let crowd = Path::new("crates/throng-crowd/src");
    let first_module = |file: &str| {
        let text = read(crowd.join(file));
        text.lines().find_map(|line| line.split_once("mod ").map(|(_, rest)| rest.to_owned()))
    };
    assert_eq!(first_module("lib.rs").as_deref(), Some("world;"));
    assert_eq!(first_module("world/mod.rs").as_deref(), Some("basics;"));
    let basics = methods(&read(crowd.join("world/basics.rs")));
    assert!(basics.iter().map(|(name, _)| name).eq(&FIRST));
}

#[test]
fn methods_and_examples_are_recognised() {
    let text = "impl World {\n    /// A.\n    ///\n    /// ```\n    /// x\n    /// ```\n    #[must_use]\n    \
                pub const fn a(&self) {}\n\n    /// B.\n    pub(crate) fn b() {}\n    pub fn c<T>() {}\n}\n\n\
                impl Other {\n    pub fn d() {}\n}\n";
    let methods = methods(text);
    assert!(methods.iter().map(|(name, _)| name.as_str()).eq(["a", "c"]));
    assert_eq!(methods.iter().map(|(_, text)| has_example(text)).collect::<Vec<_>>(), [true, false]);
    assert!(has_example("```\nx\n```\n```\ny\n```\n"));
    assert!(!has_example("```\nx\n```\n```no_run\ny\n```\n"));
}
