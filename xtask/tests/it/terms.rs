//! The vocabulary: terms that a reader of the literature searches for are found, and private words stay out.

use std::path::Path;
use std::process::Command;

use crate::{files, read, root};

/// Words that the project once used in a private sense. The literals are split so that this file does not contain them.
const REFUSED: &[&str] = &[
    concat!("pur", "se"),
    concat!("err", "and"),
    concat!("err", "ands"),
    concat!("kn", "ot"),
    concat!("kn", "ots"),
    concat!("de", "sk"),
    concat!("de", "sks"),
    concat!("fi", "lm"),
    concat!("fi", "lms"),
    concat!("hundred", "ths"),
    concat!("is_", "home"),
    concat!("share_", "out"),
    concat!("to", "ll"),
    concat!("to", "lls"),
    concat!("tak", "ers"),
    concat!("is ", "home"),
    concat!("are ", "home"),
    concat!("comes ", "home"),
    concat!("come ", "home"),
    concat!("is ", "told"),
    concat!("answers ", "whether"),
    concat!("draws ", "lots"),
];

/// The rows `| term | [file](file) |` of the table of terms in the architecture document.
fn glossary() -> Vec<(String, String)> {
    let text = read("ARCHITECTURE.md");
    let (_, section) =
        text.split_once("\n## Where to find it\n").expect("ARCHITECTURE.md has a table of terms");
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let term = cells.next()?.to_owned();
        let file = cells.next()?.split_once("](")?.1.split_once(')')?.0.split('#').next()?.to_owned();
        Some((term, file))
    });
    rows.collect()
}

/// The first three files that `git grep -il` lists for a term, or that it would list once they are committed.
fn first_files(term: &str) -> Vec<String> {
    let output = Command::new("git")
        .args(["grep", "--untracked", "-il", term])
        .current_dir(root())
        .output()
        .expect("git searches the files of the repository");
    String::from_utf8(output.stdout).unwrap().lines().take(3).map(str::to_owned).collect()
}

#[test]
fn every_term_leads_to_its_file() {
    let glossary = glossary();
    assert!(glossary.len() >= 12, "the table of terms has {} rows", glossary.len());
    for (term, file) in glossary {
        let found = first_files(&term);
        let leads = found.iter().any(|name| *name == file || name == "ARCHITECTURE.md");
        assert!(leads, "{term:?}: neither {file} nor ARCHITECTURE.md is among {found:?}");
        let text = read(&file).to_lowercase();
        // Source files name the term at their head; documents have a heading.
        let lines = if Path::new(&file).extension().is_some_and(|end| end == "rs") { 15 } else { usize::MAX };
        let head: Vec<&str> = text.lines().take(lines).collect();
        assert!(head.join("\n").contains(&term.to_lowercase()), "{file} does not name {term:?} in its head");
    }
}

#[test]
fn private_words_stay_out() {
    let mut found = Vec::new();
    for path in files().into_iter().filter(|path| !path.ends_with("CHANGELOG.md")) {
        let Ok(text) = String::from_utf8(std::fs::read(root().join(&path)).unwrap()) else { continue };
        for (number, line) in text.lines().enumerate() {
            let line = line.to_lowercase();
            for word in REFUSED.iter().filter(|word| contains_word(&line, word)) {
                found.push(format!("{}:{}: {word}", path.display(), number + 1));
            }
        }
    }
    assert!(found.is_empty(), "CONTRIBUTING.md, section Rules, names the words to use instead: {found:#?}");
}

/// Returns true if the text contains the word, not as a part of another one.
fn contains_word(text: &str, word: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(word).any(|(at, found)| {
        !letter(text[..at].chars().next_back()) && !letter(text[at + found.len()..].chars().next())
    })
}

#[test]
fn parts_of_words_do_not_count() {
    assert!(contains_word("an order, a task.", "order"));
    assert!(!contains_word("borders and orders", "order"));
}
