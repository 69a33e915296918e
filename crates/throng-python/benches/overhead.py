"""The overhead of Python with numpy per tick, against plain Rust: the same crowd, in turns.

    cargo build --release -p throng-python --lib --examples
    python benches/overhead.py TARGET/release/examples/ticks

Both sides tick the same crowd, read all positions after each tick and add them up. The medians of the rounds are compared; state hashes and
sums must be equal.
"""

import statistics
import subprocess
import sys
import time

import numpy as np
import throng

SIDE, AGENTS, TICKS, UNITS, ROUNDS = 256, 2000, 200, 100_000, 7


def in_rust(program):
    words = [program, *map(str, (SIDE, AGENTS, TICKS, UNITS))]
    micros, hash, total = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    return float(micros), hash, int(total)


def in_python():
    map = throng.Map.generate("rooms", SIDE, SIDE, seed=1)
    problem = throng.Problem.generate(map, agents=AGENTS, seed=1)
    world = throng.World(map, "surge")
    world.send_many(world.spawn_many(problem.starts), problem.goals)
    positions, total = np.empty((AGENTS, 2), np.int32), 0
    begun = time.perf_counter()
    for _ in range(TICKS):
        world.tick(units=UNITS)
        total += int(world.positions(positions).sum())
    micros = (time.perf_counter() - begun) * 1e6 / TICKS
    return micros, f"{world.state_hash:016x}", total


def main():
    rust, python = [], []
    for _ in range(ROUNDS):
        rust.append(in_rust(sys.argv[1]))
        python.append(in_python())
    assert len({result[1:] for result in rust + python}) == 1, "the sides did not do the same"
    rust, python = [statistics.median(result[0] for result in side) for side in (rust, python)]
    print(f"{AGENTS} agents, {SIDE}x{SIDE} rooms, surge, {UNITS} units per tick, {TICKS} ticks, {ROUNDS} rounds, medians")
    print(f"Rust {rust:.1f} us per tick, Python {python:.1f} us per tick, overhead {100 * (python / rust - 1):.1f} %")


if __name__ == "__main__":
    main()
