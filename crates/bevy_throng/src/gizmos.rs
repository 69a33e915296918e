//! Debug layers drawn with Bevy's gizmos (feature `gizmos`).

use bevy_app::{App, Plugin, Update};
use bevy_color::{Color, Hsla};
use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use bevy_ecs::system::{Query, Res};
use bevy_gizmos::gizmos::Gizmos;
use bevy_transform::components::GlobalTransform;
use throng::{DebugLayer, ProfileId};

use crate::{Crowds, DebugLine};

/// Draws what [`DebugDraw`] asks for. It needs Bevy's `GizmoPlugin`, which `DefaultPlugins` has.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThrongGizmosPlugin;

/// What is drawn of every crowd; nothing by default.
#[derive(Resource, Clone, Debug, Default)]
pub struct DebugDraw {
    /// The layers of the planners.
    pub layers: Vec<DebugLayer>,
    /// The profile whose walls are drawn.
    pub walls: Option<ProfileId>,
    /// The entity that is the parent of the agents; lines are drawn in its coordinates.
    pub parent: Option<Entity>,
}

impl Plugin for ThrongGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<DebugDraw>().add_systems(Update, draw);
    }
}

fn draw(crowds: Res<Crowds>, settings: Res<DebugDraw>, parents: Query<&GlobalTransform>, mut gizmos: Gizmos) {
    let parent = settings.parent.and_then(|parent| parents.get(parent).ok()).copied().unwrap_or_default();
    let mut line = |line: DebugLine, color: Color| {
        gizmos.line(parent.transform_point(line.from), parent.transform_point(line.to), color);
    };
    for (_, crowd) in crowds.iter() {
        if let Some(profile) = settings.walls {
            crowd.wall_lines(profile).into_iter().for_each(|wall| line(wall, Color::WHITE));
        }
        for &layer in &settings.layers {
            // A layer of an agent that is gone has no lines.
            let lines = crowd.debug_lines(layer).unwrap_or_default();
            for stroke in lines {
                line(stroke, color(stroke.group));
            }
        }
    }
}

/// Returns a colour that differs from those of the next numbers.
fn color(group: u32) -> Color {
    let hue = (u64::from(group) * 137 % 360) as f32;
    Hsla::hsl(hue, 0.9, 0.6).into()
}
