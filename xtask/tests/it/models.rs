//! The stored models are what `throng select train` makes of the stored data.

use crate::commands::throng;
use crate::root;

#[test]
fn the_models_of_auto_come_from_the_stored_data() {
    let folder = tempfile::tempdir().unwrap();
    let data = root().join("experiments/select");
    let mut command = throng();
    command.args(["select", "train", "auto", "--data"]).arg(data).arg("--out").arg(folder.path());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut names = Vec::new();
    for entry in std::fs::read_dir(root().join("crates/throng-planners/models")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_owned();
        let again = std::fs::read(folder.path().join(&name)).unwrap();
        assert!(std::fs::read(&path).unwrap() == again, "run `throng select train auto`: {name:?} differs");
        names.push(name);
    }
    assert_eq!(names.len(), 8, "{names:?}");
}

#[test]
fn the_model_of_crowds_comes_from_the_stored_data() {
    let folder = tempfile::tempdir().unwrap();
    let data = root().join("experiments/select");
    let again = folder.path().join("crowd.model");
    let mut command = throng();
    command.args(["select", "train", "--data"]).arg(&data).arg("--out").arg(&again);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let stored = std::fs::read(data.join("crowd.model")).unwrap();
    assert!(stored == std::fs::read(&again).unwrap(), "run `throng select train`: crowd.model differs");
}
