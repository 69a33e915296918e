//! `throng lab report`: from results to files.

use std::fs;

use crate::run::{bad, good, json, throng};

#[test]
fn results_become_a_page_and_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for scale in ["smoke", "tiny"] {
        // A scale of one's own stands beside the first.
        let file = folder.path().join("mapf-types.toml");
        let text = "maps = \"builtin:arena\"\nagents = [10, 20]\ninstances = 2\nplanners = [\"bmaa\", \"far\"]\n\
                    max_ticks = 60\n[tiny]\nmax_ticks = 20\n";
        fs::write(&file, text).unwrap();
        good(&throng(&["lab", "run", &file.display().to_string(), "--scale", scale, "-o", &path(scale)]));
    }
    let written =
        json(&["lab", "report", &path("smoke"), &path("tiny"), "-o", &path("page"), "--no-pictures"]);
    assert_eq!(written["runs"], 16);
    assert_eq!(written["planners"].as_array().unwrap().len(), 4, "two planners at two scales");
    // All planners but the selectors, which the thesis has, are there; findings of the thesis find no data.
    assert!(written["findings"].as_array().unwrap().iter().all(|it| it["verdict"] == "not enough data"));
    for name in ["report.html", "report.md", "tables.csv", "tables.tex"] {
        assert!(
            fs::read_to_string(folder.path().join("page").join(name)).unwrap().contains("mapf-types"),
            "{name}"
        );
    }
    // Without a place the report lies with the results, and reading these again does not mind it.
    let text = good(&throng(&["lab", "report", &path("smoke")]));
    assert!(text.contains("95 % interval") && text.contains("report.html"), "{text}");
    let page = fs::read_to_string(folder.path().join("smoke/report/report.html")).unwrap();
    assert_eq!(page.matches("data:image/png").count(), 2);
    good(&throng(&["lab", "report", &path("smoke"), "--no-pictures"]));
}

#[test]
fn what_is_shown_of_ones_own_experiment_is_a_file_beside_its_results() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    fs::write(&file, "maps = \"builtin:arena\"\nagents = 5\nplanners = \"far\"\nmax_ticks = 20\n").unwrap();
    let out = folder.path().join("out");
    let out_text = out.display().to_string();
    good(&throng(&["lab", "run", &file.display().to_string(), "-o", &out_text]));
    fs::write(out.join("report.toml"), "title = \"Mine alone\"\n").unwrap();
    good(&throng(&["lab", "report", &out_text, "--no-pictures"]));
    assert!(fs::read_to_string(out.join("report/report.html")).unwrap().contains("<h1>Mine alone</h1>"));
    fs::write(out.join("report.toml"), "\ntitel = \"Mine alone\"\n").unwrap();
    let text = bad(&throng(&["lab", "report", &out_text]), 2);
    assert!(text.contains("report.toml:2:1: there is no key `titel`: did you mean `title`?"), "{text}");
}
