//! Built-in maps, available as `builtin:NAME` without files: generated from fixed seeds or drawn by this module. Tests
//! pin their content with hashes, because experiments rely on it.
//!
//! The `patrol-*` maps stand for the maps on which groups patrol between two sides in M. R. Jansen's thesis on direction maps
//! (2008): `patrol-words-*` are drawn from its words alone, the others were also fitted to its numbers.

mod words;

use crate::generate::draw::{Rect, brush, fill, line, paint};
use crate::generate::generate;
use crate::spec::SpecError;
use crate::{Pos, SeededRng, Size, Terrain, Tiles};
use Source::{Drawn, Generated};

/// A built-in map.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name for [`builtin`].
    pub name: &'static str,
    /// A description in one line.
    pub summary: &'static str,
    /// Number of columns.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    source: Source,
}

/// How a map is made.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// A generator's specification and a seed.
    Generated(&'static str, u64),
    /// A function that draws the map.
    Drawn(fn(Size) -> Tiles),
}

const fn map(
    name: &'static str,
    (width, height): (u32, u32),
    source: Source,
    summary: &'static str,
) -> Builtin {
    Builtin { name, summary, width, height, source }
}

/// All built-in maps.
pub const BUILTINS: &[Builtin] = &[
    map("patrol-empty", (64, 64), Drawn(patrol_empty), "open ground without obstacles"),
    map(
        "patrol-barrier",
        (64, 64),
        Drawn(patrol_barrier),
        "a wall across the map with a narrow passage near each end",
    ),
    map(
        "patrol-field",
        (64, 64),
        Drawn(patrol_field),
        "large blocks in the middle with two narrow corridors through them",
    ),
    map("patrol-passages", (64, 64), Drawn(patrol_passages), "a wall across the map with two wide passages"),
    map("patrol-words-b", (64, 64), Drawn(words::obstacle), "open ground around one large obstacle"),
    map(
        "patrol-words-c",
        (64, 64),
        Drawn(words::obstacles),
        "nine large obstacles in the middle with narrow corridors between them",
    ),
    map(
        "patrol-words-d",
        (64, 64),
        Drawn(words::passageways),
        "a thin wall across the map with ten small passageways",
    ),
    map("arena", (49, 49), Drawn(arena), "a small round arena with pillars and four entrances"),
    map("bridge", (64, 48), Drawn(bridge), "two banks of a river, a narrow bridge and a swampy ford"),
    map("maze", (129, 129), Generated("maze:corridor=1,loops=6", 7), "a maze of narrow corridors"),
    map(
        "wide-maze",
        (128, 128),
        Generated("maze:corridor=4,loops=10", 11),
        "a maze with corridors four cells wide",
    ),
    map("rooms", (131, 131), Generated("rooms:room=9,doors=45", 3), "rooms with doors of one cell"),
    map("caves", (192, 192), Generated("caves:tunnel=3", 5), "organic caves with tunnels between them"),
    map("warehouse", (161, 63), Generated("warehouse:strip=6", 1), "shelves with aisles of one cell"),
    map("random", (64, 64), Generated("random:walls=10", 2), "independent random walls, 10 percent"),
    map("town", (192, 192), Generated("town", 4), "a town: streets, houses with rooms, gardens, a market"),
    map(
        "valley",
        (512, 512),
        Generated("level:wild=82,river=14,district=110", 31),
        "a large game level: a river valley with woods, lakes, caves, ruins and a town",
    ),
    map(
        "keep",
        (512, 512),
        Generated("level:wild=40,castle=200,district=120", 35),
        "a large game level: a moated castle amid halls, a town and wild corners",
    ),
];

/// Returns the terrain of a built-in map. The prefix `builtin:` of the name is optional.
///
/// # Errors
/// If there is no map of that name; the error suggests the most similar name.
pub fn builtin(name: &str) -> Result<Tiles, SpecError> {
    let name = name.strip_prefix("builtin:").unwrap_or(name);
    let found = BUILTINS.iter().find(|builtin| builtin.name == name);
    let unknown = || SpecError::unknown("built-in map", name, BUILTINS.iter().map(|builtin| builtin.name));
    found.map(Builtin::tiles).ok_or_else(unknown)
}

impl Builtin {
    /// Generates or draws the map.
    pub fn tiles(&self) -> Tiles {
        let size = Size::new(self.width, self.height).expect("built-in maps are within the grid limit");
        match self.source {
            Drawn(draw) => draw(size),
            Generated(text, seed) => generate(text, size, seed).expect("built-in maps use known generators"),
        }
    }
}

fn patrol_empty(size: Size) -> Tiles {
    Tiles::filled(size, Terrain::Ground)
}

/// Two passages of three cells each: opposing streams jam there, as the thesis reports for this map.
fn patrol_barrier(size: Size) -> Tiles {
    wall_with_passages(size, [15, 46], 3)
}

/// Large blocks with two corridors of three and four cells through them, and two crossing lanes of two cells. No border
/// between sectors of 8, 12 or 16 cells runs along a corridor.
fn patrol_field(size: Size) -> Tiles {
    let mut tiles = patrol_empty(size);
    fill(&mut tiles, Rect::new(24, 0, 40, 64), Terrain::Wall);
    for (y, width) in [(24, 3), (41, 4)] {
        fill(&mut tiles, Rect::new(24, y, 40, y + width), Terrain::Ground);
    }
    for x in [28, 33] {
        fill(&mut tiles, Rect::new(x, 14, x + 2, 50), Terrain::Ground);
    }
    tiles
}

/// Two passages wide enough for a hundred agents in both directions: the thesis reports few failed moves.
fn patrol_passages(size: Size) -> Tiles {
    wall_with_passages(size, [14, 38], 12)
}

/// Draws a wall across the middle with two passages of the given width that start at the given rows.
fn wall_with_passages(size: Size, passages: [i32; 2], width: i32) -> Tiles {
    let mut tiles = patrol_empty(size);
    fill(&mut tiles, Rect::new(31, 0, 33, 64), Terrain::Wall);
    for y in passages {
        fill(&mut tiles, Rect::new(31, y, 33, y + width), Terrain::Ground);
    }
    tiles
}

fn arena(size: Size) -> Tiles {
    let mut tiles = Tiles::filled(size, Terrain::Outside);
    let middle = Rect::of(size).middle();
    for (width, terrain) in [(49, Terrain::Wall), (45, Terrain::Ground)] {
        paint(&mut tiles, brush(middle, width), terrain);
    }
    for (x, y) in [(22, 0), (22, 46)] {
        fill(&mut tiles, Rect::new(x, y, x + 5, y + 3), Terrain::Ground);
        fill(&mut tiles, Rect::new(y, x, y + 3, x + 5), Terrain::Ground);
    }
    for (x, y) in [(14, 14), (34, 14), (14, 34), (34, 34), (24, 10), (24, 38), (10, 24), (38, 24)] {
        paint(&mut tiles, brush(Pos::new(x, y), 3), Terrain::Wall);
    }
    paint(&mut tiles, brush(middle, 9), Terrain::Grass);
    paint(&mut tiles, brush(middle, 5), Terrain::Water);
    tiles
}

fn bridge(size: Size) -> Tiles {
    let mut tiles = Tiles::filled(size, Terrain::Grass);
    let mut rng = SeededRng::new(3);
    let bends = [(34, -1), (27, 12), (36, 26), (29, 38), (33, 48)].map(|(x, y)| Pos::new(x, y));
    let course: Vec<Pos> = bends.windows(2).flat_map(|ends| line(ends[0], ends[1])).collect();
    for (width, terrain) in [(13, Terrain::Swamp), (10, Terrain::Water)] {
        paint(&mut tiles, course.iter().flat_map(|&pos| brush(pos, width)), terrain);
    }
    for pos in Rect::of(size).positions() {
        let wood = tiles.at(pos) == Some(Terrain::Grass) && (pos.x < 8 || pos.x > 55);
        if wood && rng.chance(22) {
            tiles.set(pos, Terrain::Trees);
        }
    }
    let road = Rect::new(0, 17, 64, 19);
    fill(&mut tiles, road, Terrain::Ground);
    for y in [16, 19] {
        fill(&mut tiles, Rect::new(24, y, 38, y + 1), Terrain::Wall);
    }
    // The ford: swamp instead of water across the whole river.
    for pos in Rect::new(20, 33, 46, 37).positions() {
        if tiles.at(pos) == Some(Terrain::Water) {
            tiles.set(pos, Terrain::Swamp);
        }
    }
    tiles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, MoveRules};

    /// Returns the FNV-1a hash of the size and the map's characters.
    fn hash(tiles: &Tiles) -> u64 {
        let size = [tiles.size().width(), tiles.size().height()];
        let bytes = size.into_iter().flat_map(u32::to_le_bytes);
        bytes
            .chain(tiles.terrain().iter().map(|terrain| terrain.to_char()))
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            })
    }

    /// The expected hashes. A changed map invalidates the results of every experiment on it.
    const HASHES: &[(&str, u64)] = &[
        ("patrol-empty", 0x5dcb_9288_47ac_2645),
        ("patrol-barrier", 0x095d_899a_c8e8_4385),
        ("patrol-field", 0xa926_a265_97f4_1ec5),
        ("patrol-passages", 0x1c23_981a_8aa7_ad45),
        ("patrol-words-b", 0x24c9_b2a7_8285_c705),
        ("patrol-words-c", 0xc97b_3a80_7458_dfc5),
        ("patrol-words-d", 0xc00b_919f_ca00_1a45),
        ("arena", 0x80a2_44b1_28a5_9a9e),
        ("bridge", 0x8c3c_ccf5_b9e5_9f16),
        ("maze", 0xddbf_6fc6_692c_84ef),
        ("wide-maze", 0x0449_d19d_588e_e485),
        ("rooms", 0xe492_8d6a_cce9_0ce1),
        ("caves", 0xbb85_aabe_06bf_35c5),
        ("warehouse", 0xda09_ecfe_1730_07c7),
        ("random", 0x5fbe_d98c_8f78_f0a5),
        ("town", 0x0296_a1ff_2cc5_3baa),
        ("valley", 0x8e22_70bc_f1d5_47f3),
        ("keep", 0xb3d6_3445_e596_841a),
    ];

    #[test]
    fn map_contents_match_their_hashes() {
        let found: Vec<(&str, u64)> = BUILTINS.iter().map(|b| (b.name, hash(&b.tiles()))).collect();
        let table: Vec<String> =
            found.iter().map(|(name, hash)| format!("(\"{name}\", {hash:#018x}),")).collect();
        assert!(found == HASHES, "now:\n{}", table.join("\n"));
    }

    #[test]
    fn the_largest_component_covers_nearly_every_map() {
        for builtin in BUILTINS {
            let grid = Grid::new(builtin.tiles(), MoveRules::default());
            let largest = grid.ground().components().sizes().iter().max().copied().unwrap_or(0) as usize;
            assert!(largest * 100 >= grid.ground().free_count() * 95, "{}", builtin.name);
            assert!(largest * 5 >= grid.size().area(), "{} has too few walkable cells", builtin.name);
        }
    }

    #[test]
    fn names_are_found_with_and_without_prefix() {
        assert_eq!(builtin("builtin:arena").unwrap(), builtin("arena").unwrap());
        let error = builtin("builtin:patrol-filed").unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no built-in map `patrol-filed`: did you mean `patrol-field`?"
        );
        assert!(BUILTINS.iter().all(|b| BUILTINS.iter().filter(|other| other.name == b.name).count() == 1));
    }
}
