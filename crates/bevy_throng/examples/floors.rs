//! A house with two floors: two crowds, and stairs between them.
//!
//! Guests come in on the ground floor and go to bed on the upper one. They gather around the stairs, and one after the other goes
//! to the other crowd when the upper end of the stairs is free.
//!
//! `cargo run --release -p bevy_throng --example floors`

#![expect(clippy::needless_pass_by_value, reason = "Bevy's systems take their parameters by value")]

use std::error::Error;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_throng::prelude::*;
use bevy_throng::throng::{Grid, MoveRules, Pos, Settings, Tiles, World as ThrongWorld, planner};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;

const GROUND_FLOOR: &str = "
    ####################
    #........#.........#
    #........#.........#
    ...................#
    #........#.........#
    ####################";
const UPPER_FLOOR: &str = "
    ####################
    #....#....#....#...#
    #....#....#....#...#
    #.................##
    #....#....#....#...#
    ####################";
/// The cell of the stairs on both floors.
const STAIRS: Pos = Pos::new(17, 3);
const GUESTS: i32 = 12;

/// The bed of a guest, on the upper floor.
#[derive(Component)]
struct Bed(Pos);

/// The guest waits at the stairs.
#[derive(Component)]
struct AtStairs;

#[derive(Resource)]
struct UpperFloor(CrowdId);

#[derive(Resource, Default)]
struct InBed(i32);

fn main() -> Result<(), Box<dyn Error>> {
    let ticks = play(&mut house()?);
    println!("{GUESTS} guests were in bed after {ticks} ticks");
    Ok(())
}

fn floor(picture: &str) -> Result<Crowd, Box<dyn Error>> {
    let grid = Grid::new(Tiles::picture(picture), MoveRules::default());
    let planner = planner("surge", &grid)?;
    Ok(Crowd::new(ThrongWorld::new(grid, planner, Settings::default())?))
}

fn house() -> Result<App, Box<dyn Error>> {
    let mut crowds = Crowds::new(floor(GROUND_FLOOR)?.layout(Layout::ground(1.0)));
    let upper = Layout::ground(1.0).origin(Vec3::Y * 3.0);
    let upper = crowds.add(floor(UPPER_FLOOR)?.layout(upper));
    let mut app = App::new();
    app.add_plugins((TimePlugin, TransformPlugin, ThrongPlugin))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(crowds)
        .insert_resource(UpperFloor(upper))
        .init_resource::<InBed>()
        .add_systems(FixedUpdate, (come_in, climb).before(ThrongSystems::SyncIn))
        .add_observer(arrive);
    Ok(app)
}

/// A guest comes in through the door when its cell is free.
fn come_in(mut commands: Commands, crowds: Res<Crowds>, mut count: Local<i32>) {
    let door = Pos::new(0, 3);
    if *count < GUESTS && crowds.first().world().occupant(door).is_none() {
        let bed = Bed(Pos::new(1 + 5 * (*count % 4) + *count / 8, 1 + *count / 4 % 2));
        commands.spawn((Agent, GridPosition(door), Goal::Cell(STAIRS), bed, Transform::default()));
        *count += 1;
    }
}

fn arrive(on: On<Arrived>, crowds: Query<&InCrowd>, mut in_bed: ResMut<InBed>, mut commands: Commands) {
    if crowds.get(on.entity).is_ok_and(|crowd| crowd.0 == CrowdId::FIRST) {
        commands.entity(on.entity).insert(AtStairs);
    } else {
        in_bed.0 += 1;
    }
}

/// Sends the guest who came in first to the other crowd.
fn climb(
    guests: Query<(Entity, &Bed, &AgentHandle), With<AtStairs>>,
    crowds: Res<Crowds>,
    upper: Res<UpperFloor>,
    mut commands: Commands,
) {
    let is_free = crowds.get(upper.0).is_some_and(|crowd| crowd.world().occupant(STAIRS).is_none());
    let next = guests.iter().min_by_key(|(.., handle)| handle.id());
    if let Some((guest, bed, _)) = next.filter(|_| is_free) {
        // The plugin leaves the height to the game.
        let height = Transform::from_xyz(0.0, 3.0, 0.0);
        let upstairs = (InCrowd(upper.0), GridPosition(STAIRS), Goal::Cell(bed.0), height);
        commands.entity(guest).remove::<AtStairs>().insert(upstairs);
    }
}

/// Runs the app until every guest is in bed, and returns the number of ticks.
fn play(app: &mut App) -> u64 {
    while app.world().resource::<InBed>().0 < GUESTS {
        app.update();
        let crowds = app.world().resource::<Crowds>();
        let ticks = crowds.first().world().ticks();
        assert!(ticks < 1_000, "{} guests are in bed", app.world().resource::<InBed>().0);
    }
    app.world().resource::<Crowds>().first().world().ticks()
}

#[test]
fn every_guest_gets_to_bed() {
    let mut app = house().unwrap();
    play(&mut app);
    let mut guests = app.world_mut().query::<(&GridPosition, &Bed, &Transform)>();
    assert_eq!(guests.iter(app.world()).count() as i32, GUESTS);
    for (at, bed, transform) in guests.iter(app.world()) {
        assert_eq!((at.0, transform.translation.y), (bed.0, 3.0), "on the upper floor, in its own bed");
    }
}
