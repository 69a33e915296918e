//! Debug layers as lines.

use bevy_math::Vec3;
use bevy_throng::prelude::*;
use bevy_throng::throng::{DebugLayer, Pos, ProfileId};

use crate::support::{app, crowd, handle, run};

const ROOM: &str = "
    ......
    ..##..
    ......";

#[test]
fn walls_are_outlined() {
    let app = app(ROOM);
    let lines = crowd(&app).wall_lines(ProfileId(0));
    assert_eq!(lines.len(), 6, "the outline of two cells");
    let length: f32 = lines.iter().map(|line| line.from.distance(line.to)).sum();
    assert!((length - 6.0).abs() < 1e-5);
    assert!(lines.iter().any(|line| line.from.abs_diff_eq(Vec3::new(1.5, -0.5, 0.0), 1e-6)), "{lines:?}");
    assert!(crowd(&app).wall_lines(ProfileId(9)).is_empty());
}

#[test]
fn a_path_is_a_chain_and_distances_descend() {
    let mut app = app(ROOM);
    let agent = app.world_mut().spawn((Agent, GridPosition::new(0, 1), Goal::cell(5, 1))).id();
    run(&mut app, 2);
    let (id, crowd) = (handle(&app, agent).id(), crowd(&app));
    let path = crowd.debug_lines(DebugLayer::Paths).unwrap();
    assert!(!path.is_empty());
    assert_eq!(path[0].from, crowd.layout.middle(crowd.world().position(id).unwrap()));
    assert!(path.windows(2).all(|pair| pair[0].to == pair[1].from && pair[0].group == id.row()));
    // Strokes never lead away from the goal.
    let goal = crowd.layout.middle(Pos::new(5, 1));
    let around = |point: Vec3| point.distance(goal);
    let field = crowd.debug_lines(DebugLayer::DistanceField(id)).unwrap();
    let away = field.iter().filter(|line| line.from.x > 3.5 && around(line.to) > around(line.from)).count();
    assert_eq!(away, 0, "{field:?}");
    app.world_mut().despawn(agent);
    run(&mut app, 1);
    assert!(crate::support::crowd(&app).debug_lines(DebugLayer::DistanceField(id)).is_err());
}
