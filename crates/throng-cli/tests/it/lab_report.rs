//! `throng lab report`.

use crate::support::{Folder, failure, json, success, throng};

#[test]
fn reports_have_a_page_and_tables() {
    let folder = Folder::new();
    let path = |name: &str| folder.path(name);
    for scale in ["smoke", "tiny"] {
        // The second scale is defined in the experiment's own file.
        let text = "maps = \"builtin:arena\"\nagents = [10, 20]\ninstances = 2\nplanners = [\"bmaa\", \"far\"]\n\
                    max_ticks = 60\n[tiny]\nmax_ticks = 20\n";
        let file = folder.write("mapf-types.toml", text);
        success(&throng(&["lab", "run", &file, "--scale", scale, "-o", &path(scale)]));
    }
    let written =
        json(&["lab", "report", &path("smoke"), &path("tiny"), "-o", &path("page"), "--no-pictures"]);
    assert_eq!(written["runs"], 16);
    assert_eq!(written["planners"].as_array().unwrap().len(), 4, "two planners at two scales");
    // The thesis compares selectors, which these results lack, so none of its findings can be checked.
    assert!(written["findings"].as_array().unwrap().iter().all(|it| it["verdict"] == "not enough data"));
    for name in ["report.html", "report.md", "tables.csv", "tables.tex"] {
        assert!(folder.read_text(&format!("page/{name}")).contains("mapf-types"), "{name}");
    }
    // By default the report is written beside the results, which can still be read afterwards.
    let text = success(&throng(&["lab", "report", &path("smoke")]));
    assert!(text.contains("95 % interval") && text.contains("report.html"), "{text}");
    let page = folder.read_text("smoke/report/report.html");
    assert_eq!(page.matches("data:image/png").count(), 2);
    success(&throng(&["lab", "report", &path("smoke"), "--no-pictures"]));
}

#[test]
fn report_settings_of_other_experiments_are_read_beside_the_results() {
    let folder = Folder::new();
    let experiment = "maps = \"builtin:arena\"\nagents = 5\nplanners = \"far\"\nmax_ticks = 20\n";
    let (file, out) = (folder.write("mine.toml", experiment), folder.path("out"));
    success(&throng(&["lab", "run", &file, "-o", &out]));
    folder.write("out/report.toml", "title = \"Mine alone\"\n");
    success(&throng(&["lab", "report", &out, "--no-pictures"]));
    assert!(folder.read_text("out/report/report.html").contains("<h1>Mine alone</h1>"));
    folder.write("out/report.toml", "\ntitel = \"Mine alone\"\n");
    let text = failure(&throng(&["lab", "report", &out]), 2);
    assert!(text.contains("report.toml:2:1: there is no key `titel`: did you mean `title`?"), "{text}");
}
