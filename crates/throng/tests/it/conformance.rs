//! The conformance scenes through the Rust interface. Every binding plays the same table: see `conformance/README.md`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use throng::ProfileId;
use throng::grid::scene::Scene;
use throng::prelude::*;

/// The folder of the table.
fn table() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/scenes.txt")
}

#[test]
fn conformance_scenes_have_their_hashes() {
    let text = std::fs::read_to_string(table()).unwrap();
    let played = play_all(&text);
    if std::env::var_os("THRONG_WRITE_GOLDEN").is_some() {
        std::fs::write(table(), &played.text).unwrap();
        return;
    }
    let differing: Vec<_> = text.lines().zip(played.text.lines()).filter(|(old, new)| old != new).collect();
    assert!(differing.is_empty(), "recorded and now: {differing:#?}");
    assert!(played.scenes >= 15 && played.hashes >= 30, "{} scenes, {} hashes", played.scenes, played.hashes);
}

/// A line that no interpreter may overlook is carried out by this one, so the page lists every word of the table.
#[test]
fn conformance_page_explains_every_line() {
    let folder = table();
    let page = std::fs::read_to_string(folder.with_file_name("README.md")).unwrap();
    let text = std::fs::read_to_string(&folder).unwrap();
    let mut in_map = false;
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
        let word = line.split(' ').next().unwrap();
        in_map = in_map && word != "end" || word == "map";
        if !in_map || word == "map" {
            let is_named = page.contains(&format!("`{word} ")) || page.contains(&format!("`{word}`"));
            assert!(is_named, "the page does not explain {word:?}");
        }
    }
}

/// The table with the values that were found.
struct Played {
    text: String,
    scenes: usize,
    hashes: usize,
}

fn play_all(text: &str) -> Played {
    let mut played = Played { text: String::new(), scenes: 0, hashes: 0 };
    let mut game = Game::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut line = line.to_owned();
        match words.as_slice() {
            [] => {}
            [first, ..] if first.starts_with("//") => {}
            ["scene", ..] => {
                game = Game::default();
                played.scenes += 1;
            }
            ["map"] => {
                let rows: Vec<&str> = lines.by_ref().take_while(|row| *row != "end").collect();
                line = format!("map\n{}\nend", rows.join("\n"));
                let scene = Scene::parse(&rows.join("\n")).unwrap();
                game.create(scene.tiles.clone());
                game.spawn_scene(&scene);
            }
            ["builtin", name] => game.create(builtin(name).unwrap()),
            ["hash", _] => {
                line = format!("hash {:016x}", game.world().state_hash());
                played.hashes += 1;
            }
            ["arrived", _] => line = format!("arrived {}", game.arrived),
            ["refused", _] => line = format!("refused {}", game.refused),
            words if game.world.is_none() => game.set_up(words),
            words => match game.carry_out(words) {
                Ok(()) => {}
                Err(Failure::Refused) => game.refused += 1,
                Err(Failure::Bug(reason)) => panic!("{line}: {reason}"),
            },
        }
        played.text += &(line + "\n");
    }
    played
}

/// A scene that is being played.
#[derive(Default)]
struct Game {
    /// The lines before the map, by their first word; profiles apart.
    set_up: BTreeMap<String, Vec<String>>,
    profiles: Vec<Profile>,
    world: Option<World>,
    agents: Vec<AgentId>,
    /// The goals of the picture, by agent.
    goals: Vec<(usize, Pos)>,
    foreign: Vec<ForeignId>,
    arrived: usize,
    /// The number of lines that the world has refused.
    refused: usize,
}

/// Why a line cannot be carried out.
enum Failure {
    /// The world refuses it.
    Refused,
    /// The table or the library is wrong.
    Bug(String),
}

impl From<throng::WorldError> for Failure {
    fn from(_: throng::WorldError) -> Self {
        Self::Refused
    }
}

impl Game {
    fn set_up(&mut self, words: &[&str]) {
        if words[0] == "profile" {
            let numbers: Vec<u8> = words[1..].iter().map(|word| word.parse().unwrap()).collect();
            let (halves, class) = (numbers[..7].try_into().unwrap(), numbers[7]);
            self.profiles.push(Profile::from_halves(halves).unwrap().with_class(class).unwrap());
        } else {
            let known = [
                "planner",
                "seed",
                "corners",
                "four-way",
                "crossings",
                "sharing",
                "step-time",
                "stuck-after",
                "fog",
            ];
            assert!(known.contains(&words[0]), "unknown line: {words:?}");
            self.set_up
                .insert(words[0].to_owned(), words[1..].iter().map(|word| (*word).to_owned()).collect());
        }
    }

    /// Returns a value of a line before the map, or 0.
    fn value(&self, key: &str, place: usize) -> usize {
        self.set_up.get(key).map_or(0, |values| values[place].parse().unwrap())
    }

    fn create(&mut self, tiles: Tiles) {
        let rules = MoveRules {
            corners: Corners::ALL[self.value("corners", 0)],
            four_way: self.value("four-way", 0) == 1,
        };
        let mut grid = Grid::new(tiles, rules);
        for &profile in &self.profiles {
            grid.add_profile(profile);
        }
        let planner = self.set_up.get("planner").map_or("surge", |values| &values[0]);
        let planner = throng::planner(planner, &grid).unwrap();
        self.world = Some(World::new(grid, planner, self.settings()).unwrap());
    }

    fn settings(&self) -> Settings {
        use throng::Sharing::{Everything, MoveRequests, Nothing, Reservations};
        let mut settings = Settings::default().seed(self.value("seed", 0) as u64);
        settings.crossings = Crossings::ALL[self.value("crossings", 0)];
        settings.step_time = StepTime::ALL[self.value("step-time", 0)];
        if self.set_up.contains_key("sharing") {
            settings.sharing = [Nothing, MoveRequests, Reservations, Everything][self.value("sharing", 0)];
        }
        if self.set_up.contains_key("stuck-after") {
            settings.stuck_after = self.value("stuck-after", 0) as u32;
        }
        if self.set_up.contains_key("fog") {
            let fog = Fog::radius(self.value("fog", 0) as u16);
            settings.fog = Some(if self.value("fog", 1) == 1 { fog.shared() } else { fog });
        }
        settings
    }

    fn world(&mut self) -> &mut World {
        self.world.as_mut().expect("a map comes before the orders")
    }

    fn spawn(&mut self, spec: AgentSpec) -> Result<AgentId, throng::WorldError> {
        let agent = self.world().spawn(spec)?;
        self.agents.push(agent);
        Ok(agent)
    }

    fn spawn_scene(&mut self, scene: &Scene) {
        for agent in &scene.agents {
            self.goals.extend(agent.goal.map(|goal| (self.agents.len(), goal)));
            self.spawn(AgentSpec::at(agent.start.x, agent.start.y)).unwrap();
        }
    }

    /// Carries out a line after the map.
    fn carry_out(&mut self, words: &[&str]) -> Result<(), Failure> {
        match words {
            ["go"] => {
                for (agent, goal) in self.goals.clone() {
                    let agent = self.agents[agent];
                    self.world().send(agent, goal)?;
                }
            }
            ["tick", count, kind, amount] => self.tick(number(count), kind, number(amount) as u64),
            ["snapshot"] => {
                let bytes = self.world().snapshot();
                self.world = Some(restore(&bytes).map_err(|error| Failure::Bug(error.to_string()))?);
            }
            ["clone"] => self.world = Some(self.world().clone()),
            ["cost", area @ .., classes, extra] => {
                self.world().set_cost(rect(&numbers(area)), set(classes), number(extra) as u8)?;
            }
            ["door", area @ .., classes] => {
                self.world().set_door(rect(&numbers(area)), set(classes));
            }
            [word, rest @ ..] => {
                let rest = numbers(rest);
                if !self.edit(word, &rest) && !self.foreign(word, &rest)? {
                    self.order(word, &rest)?;
                }
            }
            [] => {}
        }
        Ok(())
    }

    fn tick(&mut self, count: i32, kind: &str, amount: u64) {
        let mut events = Vec::new();
        for _ in 0..count {
            let budget = match kind {
                "unlimited" => Budget::Unlimited,
                "units" => Budget::Units(amount),
                "expansions" => Budget::Expansions(amount),
                "rounds" => Budget::Rounds(amount as u32),
                _ => panic!("there is no budget {kind}"),
            };
            self.world().tick(budget, &mut events);
        }
        self.arrived += events.iter().filter(|event| matches!(event, Event::Arrived { .. })).count();
    }

    /// Carries out an edit of the map; returns false for another word.
    fn edit(&mut self, word: &str, numbers: &[i32]) -> bool {
        match (word, numbers) {
            ("block", area) => self.world().block(rect(area)),
            ("unblock", area) => self.world().unblock(rect(area)),
            ("block-disc", &[x, y, radius]) => self.world().block(Area::disc(Pos::new(x, y), radius)),
            ("unblock-disc", &[x, y, radius]) => self.world().unblock(Area::disc(Pos::new(x, y), radius)),
            ("terrain", [area @ .., class]) => {
                self.world().set_terrain(rect(area), Terrain::ALL[*class as usize])
            }
            _ => return false,
        };
        true
    }

    /// Carries out a line about foreign units; returns false for another word.
    fn foreign(&mut self, word: &str, numbers: &[i32]) -> Result<bool, throng::WorldError> {
        match (word, numbers) {
            ("foreign", &[x, y]) => {
                let unit = self.world().place_foreign(Pos::new(x, y))?;
                self.foreign.push(unit);
            }
            ("move-foreign", &[unit, x, y]) => {
                let unit = self.foreign[unit as usize];
                self.world().move_foreign(unit, Pos::new(x, y))?;
            }
            ("remove-foreign", &[unit]) => {
                let unit = self.foreign[unit as usize];
                self.world().remove_foreign(unit)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Carries out a line about agents.
    fn order(&mut self, word: &str, numbers: &[i32]) -> Result<(), throng::WorldError> {
        match (word, numbers) {
            ("spawn", &[x, y, profile, steps, ticks]) => {
                let speed = Speed::new(steps as u16, ticks as u16).unwrap();
                let spec = AgentSpec::at(x, y).profile(ProfileId(profile as u8)).at_speed(speed);
                return self.spawn(spec).map(drop);
            }
            ("crowd", &[count, seed]) => return self.crowd(count as usize, seed as u64),
            ("group", &[x, y, ref members @ ..]) => {
                let members: Vec<AgentId> =
                    members.iter().map(|&agent| self.agents[agent as usize]).collect();
                return self.world().send_group(&members, Pos::new(x, y)).map(drop);
            }
            _ => {}
        }
        let (agent, world) = (self.agents[numbers[0] as usize], self.world.as_mut().unwrap());
        match (word, &numbers[1..]) {
            ("send", &[x, y]) => world.send(agent, Pos::new(x, y)).map(drop),
            ("queue", &[x, y]) => world.queue(agent, Pos::new(x, y)),
            ("extend-patrol", &[x, y]) => world.extend_patrol(agent, Pos::new(x, y)),
            ("patrol", points) => {
                let points: Vec<Pos> = points.chunks(2).map(|pair| Pos::new(pair[0], pair[1])).collect();
                world.patrol(agent, &points)
            }
            ("follow-agent", &[other, distance]) => {
                let other = Unit::Agent(self.agents[other as usize]);
                world.follow(agent, other, distance as u16)
            }
            ("follow-foreign", &[other, distance]) => {
                let other = Unit::Foreign(self.foreign[other as usize]);
                world.follow(agent, other, distance as u16)
            }
            ("despawn", []) => world.despawn(agent),
            ("halt", []) => world.halt(agent),
            ("hold", &[holds]) => world.hold(agent, holds == 1),
            ("control", &[controlled]) => world.control(agent, controlled == 1),
            ("priority", &[priority]) => world.set_priority(agent, priority as i8),
            ("speed", &[steps, ticks]) => {
                world.set_speed(agent, Speed::new(steps as u16, ticks as u16).unwrap())
            }
            ("profile-of", &[profile]) => world.set_profile(agent, ProfileId(profile as u8)),
            ("teleport", &[x, y]) => world.teleport(agent, Pos::new(x, y)),
            _ => panic!("unknown line: {word} {numbers:?}"),
        }
    }

    fn crowd(&mut self, count: usize, seed: u64) -> Result<(), throng::WorldError> {
        let (size, mut x) = (self.world().grid().size(), seed);
        let mut number = |end: u32| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((x >> 33) % u64::from(end)) as i32
        };
        let mut pos = || {
            let x = number(size.width());
            Pos::new(x, number(size.height()))
        };
        let first = self.agents.len();
        while self.agents.len() < first + count {
            let at = pos();
            // A cell may be blocked or occupied.
            let _ = self.spawn(AgentSpec::at(at.x, at.y));
        }
        for i in first..self.agents.len() {
            let agent = self.agents[i];
            self.world().send(agent, pos())?;
        }
        Ok(())
    }
}

fn numbers(words: &[&str]) -> Vec<i32> {
    words.iter().map(|word| number(word)).collect()
}

fn number(word: &str) -> i32 {
    word.parse().unwrap_or_else(|_| panic!("no number: {word}"))
}

fn set(word: &str) -> Classes {
    Classes::from_bits(u32::from_str_radix(word, 16).unwrap_or_else(|_| panic!("no set: {word}")))
}

fn rect(area: &[i32]) -> Area {
    let &[left, top, right, bottom] = area else { panic!("no rectangle: {area:?}") };
    Area::rect(Pos::new(left, top), Pos::new(right, bottom))
}
