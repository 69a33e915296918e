//! `cargo xtask links`: every link of the facade's documentation leads to a page and an anchor that exist. Run it after
//! `cargo doc`. Rustdoc itself does not check links of items that the facade takes from other crates.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// The start of the target in a page that only leads on to another one.
const REDIRECT: &str = "content=\"0;URL=";

/// Checks the pages of the crate `throng`.
pub(crate) fn run() -> Result<()> {
    let (count, broken) = check(&crate::programs::target().join("doc/throng"))?;
    ensure!(broken.is_empty(), "broken links:\n{}", broken.into_iter().collect::<Vec<_>>().join("\n"));
    println!("{count} links");
    Ok(())
}

/// Returns the number of links to other pages in all pages of a folder, and the broken ones.
fn check(folder: &Path) -> Result<(usize, BTreeSet<String>)> {
    let (mut folders, mut count, mut broken) = (vec![folder.to_owned()], 0, BTreeSet::new());
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder)
            .with_context(|| format!("{}: run cargo doc --workspace --no-deps before", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html") {
                let page = std::fs::read_to_string(&path)?;
                for link in links(&page) {
                    count += 1;
                    if !exists(&path, &link)? {
                        broken.insert(format!("{}: {link}", path.display()));
                    }
                }
            }
        }
    }
    Ok((count, broken))
}

/// Returns the links of a page within the documentation.
fn links(page: &str) -> impl Iterator<Item = String> {
    let values = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    // Scripts of rustdoc fill in names of static files.
    let is_inner =
        |link: &&str| !link.contains("://") && !link.starts_with("javascript:") && !link.contains("${");
    values.filter(is_inner).map(|link| link.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
}

/// Returns true if a link of a page leads to a page, and to an anchor in it if it names one.
fn exists(page: &Path, link: &str) -> Result<bool> {
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let mut path = if file.is_empty() { page.to_owned() } else { resolved(page, file) };
    if path.is_dir() {
        path = path.join("index.html");
    }
    if !path.is_file() || anchor.is_empty() || path.extension().is_none_or(|extension| extension != "html") {
        return Ok(path.is_file());
    }
    let text = std::fs::read_to_string(&path)?;
    if let Some(target) = text.split(REDIRECT).nth(1).and_then(|rest| rest.split('"').next()) {
        return exists(&path, &format!("{target}#{anchor}"));
    }
    // Lines of source code have anchors that a script makes.
    let is_line = anchor.starts_with(|first: char| first.is_ascii_digit());
    Ok(is_line || text.contains(&format!("id=\"{anchor}\"")))
}

/// Returns the path to which a relative link of a page leads.
fn resolved(page: &Path, link: &str) -> PathBuf {
    let mut path = page.parent().unwrap_or(page).to_owned();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => _ = path.pop(),
            part => path.push(part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_pages_and_anchors_are_broken() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        let target = "<a id=\"method.tick\"></a>";
        write("crowd/world.html", target);
        write("crowd/old.html", "<meta http-equiv=\"refresh\" content=\"0;URL=world.html\">");
        let anchored =
            ["../crowd/world.html#method.tick", "../crowd/old.html#method.tick", "../crowd/world.html"];
        let wrong =
            ["../crowd/world.html#method.tock", "../crowd/old.html#method.tock", "gone.html", "crate::Gone"];
        let outside = ["https://example.org/gone", "../static.files/${f}"];
        let all = [&anchored[..], &wrong, &outside].concat();
        let page = format!("<a href=\"{}\">x</a>", all.join("\">x</a>\n<a href=\""));
        write("throng/index.html", &page);
        let (count, broken) = check(&folder.path().join("throng")).unwrap();
        assert_eq!(count, anchored.len() + wrong.len());
        let found: Vec<&str> =
            broken.iter().map(|line| line.split_once(": ").map_or("", |(_, link)| link)).collect();
        let mut expected = wrong;
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}
