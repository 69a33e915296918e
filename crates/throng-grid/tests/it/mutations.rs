//! Mutated files: for any input the readers terminate, use memory proportional to the input, and report errors at a
//! position inside the input. `THRONG_MUTATIONS` sets the number of inputs per format.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg64Mcg;
use throng_grid::movingai::{ParseError, read_map, read_scenario, write_map, write_scenario};
use throng_grid::scene::{self, Scene};
use throng_grid::{Size, Terrain, Tiles};

#[test]
fn mutated_maps_are_read_or_rejected() {
    let seeds: Vec<Vec<u8>> = [(1, 1), (3, 2), (8, 8), (17, 5), (40, 30)].into_iter().map(map_file).collect();
    let mut accepted = 0;
    for_each_mutation(&seeds, 1, |input| {
        if let Some(tiles) = within_memory(input, read_map) {
            accepted += 1;
            assert_eq!(read_map(&write_map(&tiles)).as_ref(), Ok(&tiles), "{}", quoted(input));
        }
    });
    assert!(accepted > 0, "no mutated map was accepted");
}

#[test]
fn mutated_scenarios_are_read_or_rejected() {
    let seeds: Vec<Vec<u8>> =
        [(0, '\t'), (1, ' '), (6, '\t'), (20, ' ')].into_iter().map(scenario_file).collect();
    let mut accepted = 0;
    for_each_mutation(&seeds, 2, |input| {
        if let Some(scenario) = within_memory(input, read_scenario) {
            accepted += 1;
            let written = write_scenario(&scenario);
            assert_eq!(read_scenario(written.as_bytes()).as_ref(), Ok(&scenario), "{}", quoted(input));
            assert!(scenario.problems.iter().all(|problem| {
                let inside = problem.size.contains(problem.start) && problem.size.contains(problem.goal);
                inside
                    && problem.length.is_finite()
                    && problem.length >= 0.0
                    && !problem.map.contains(['/', '\\'])
            }));
        }
    });
    assert!(accepted > 0, "no mutated scenario was accepted");
}

#[test]
fn mutated_scenes_are_read_or_rejected() {
    let seeds: Vec<Vec<u8>> = scene::all().iter().map(|(_, text)| text.as_bytes().to_vec()).collect();
    let mut accepted = 0;
    for_each_mutation(&seeds, 3, |input| {
        let text = String::from_utf8_lossy(input);
        if let Some(scene) = within_memory(text.as_bytes(), |_| Scene::parse(&text)) {
            accepted += 1;
            assert_eq!(Scene::parse(&scene.draw()).as_ref(), Ok(&scene), "{text}");
        }
    });
    assert!(accepted > 0, "no mutated scene was accepted");
}

/// A small file that claims a large map is rejected without reserving memory for the map.
#[test]
fn claimed_sizes_reserve_no_memory() {
    let input = b"type octile\nheight 4096\nwidth 4096\nmap\n....\n";
    assert!(within_memory(input, read_map).is_none());
}

/// Reads the input. Checks the peak memory, and the position of an error.
fn within_memory<T>(input: &[u8], read: impl FnOnce(&[u8]) -> Result<T, ParseError>) -> Option<T> {
    let mut result = None;
    let used = allocation_counter::measure(|| result = Some(read(input)));
    let allowed = 32 * input.len() as u64 + 1024;
    assert!(used.bytes_max <= allowed, "{} bytes for {}", used.bytes_max, quoted(input));
    result.expect("the reader ran").map_err(|error| assert_inside(&error, input)).ok()
}

fn assert_inside(error: &ParseError, input: &[u8]) {
    assert!(error.line >= 1 && error.column >= 1, "{error} in {}", quoted(input));
    let line = input.split(|&byte| byte == b'\n').nth(error.line as usize - 1);
    let inside = line.is_some_and(|line| error.column as usize <= line.len() + 1);
    assert!(inside, "{error} in {}", quoted(input));
    assert!(error.to_string().len() < 400, "{error}");
}

fn quoted(input: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(input))
}

fn for_each_mutation(seeds: &[Vec<u8>], stream: u64, mut check: impl FnMut(&[u8])) {
    let count = std::env::var("THRONG_MUTATIONS")
        .map_or(100_000, |count| count.parse().expect("THRONG_MUTATIONS is a number of inputs"));
    let mut mutator = Mutator { rng: Pcg64Mcg::seed_from_u64(stream) };
    for seed in seeds {
        check(seed);
    }
    for _ in 0..count {
        let mut input = seeds[mutator.below(seeds.len())].clone();
        for _ in 0..=mutator.below(4) {
            mutator.once(&mut input);
        }
        check(&input);
    }
}

/// Applies random mutations.
struct Mutator {
    rng: Pcg64Mcg,
}

impl Mutator {
    fn below(&mut self, bound: usize) -> usize {
        (self.rng.next_u64() % bound.max(1) as u64) as usize
    }

    /// Applies one mutation.
    fn once(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len() + 1);
        let kind = self.below(9);
        match kind {
            0 if at < input.len() => input[at] ^= 1 << self.below(8),
            1 if at < input.len() => input[at] = self.likely_byte(),
            2 => input.insert(at, self.likely_byte()),
            3 => {
                let end = (at + 1 + self.below(12)).min(input.len());
                input.drain(at..end);
            }
            4 => input.truncate(at),
            5 => self.replace_number(input, at),
            _ => self.mutate_lines(input, kind),
        }
    }

    /// Returns a byte that is significant in the formats, or any byte.
    fn likely_byte(&mut self) -> u8 {
        const SIGNIFICANT: &[u8] = b".GSWT@O#aA0189-+e/\\ \t\r\n\0\xc3\xff";
        let any = self.rng.next_u32() as u8;
        SIGNIFICANT.get(self.below(SIGNIFICANT.len() * 2)).copied().unwrap_or(any)
    }

    /// Replaces the number at or after an index.
    fn replace_number(&mut self, input: &mut Vec<u8>, at: usize) {
        const NUMBERS: [&str; 13] = [
            "0",
            "1",
            "-1",
            "65535",
            "65536",
            "4294967295",
            "4294967296",
            "99999999999999999999",
            "1e999",
            "1e300",
            "nan",
            "inf",
            "0.5",
        ];
        let Some(start) = (at..input.len()).find(|&i| input[i].is_ascii_digit()) else { return };
        let digits = input[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = NUMBERS[self.below(NUMBERS.len())];
        input.splice(start..start + digits, number.bytes());
    }

    /// Repeats, swaps or removes whole lines, or changes all line ends.
    fn mutate_lines(&mut self, input: &mut Vec<u8>, kind: usize) {
        let mut lines: Vec<Vec<u8>> = input.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
        let (one, other) = (self.below(lines.len()), self.below(lines.len()));
        match kind {
            6 => lines.insert(other, lines[one].clone()),
            7 => lines.swap(one, other),
            _ if self.below(2) == 0 => drop(lines.remove(one)),
            _ => lines.iter_mut().for_each(|line| line.push(b'\r')),
        }
        *input = lines.join(&b'\n');
    }
}

fn map_file((width, height): (u32, u32)) -> Vec<u8> {
    let size = Size::new(width, height).unwrap();
    let terrain = size.cells().map(|cell| Terrain::ALL[(cell.index() * 5 / 3) % Terrain::ALL.len()]);
    write_map(&Tiles::from_terrain(size, terrain.collect()).unwrap())
}

fn scenario_file((problems, separator): (u32, char)) -> Vec<u8> {
    let mut text = "version 1\n".to_owned();
    for i in 0..problems {
        let fields = [
            (i / 10).to_string(),
            ["maps/den.map", "den.map", "a\\b\\den.map"][i as usize % 3].to_owned(),
            (20 + i).to_string(),
            (30 + i).to_string(),
            i.to_string(),
            (i + 7).to_string(),
            (19 - i / 2).to_string(),
            (i * 2).to_string(),
            (f64::from(i) * std::f64::consts::SQRT_2).to_string(),
        ];
        text += &fields.join(&separator.to_string());
        text.push('\n');
    }
    text.into_bytes()
}
