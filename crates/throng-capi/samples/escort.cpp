// The game of escort.c in C++17: handles free themselves, and failures are exceptions.
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <vector>

#include "throng.hpp"

namespace {

constexpr int guard_count = 40, ticks = 200, save_at = 60;

throng::World create() {
    ThrongSettings settings = throng::default_settings();
    settings.seed = 7;
    return throng::World(throng::Map::builtin("rooms"), "surge", settings);
}

std::vector<throng::AgentId> spawn_guards(throng::World &world) {
    std::vector<ThrongAgentSpec> specs;
    for (int i = 0; i < guard_count * 4; i++)
        specs.push_back(throng::agent_at(1 + i % 16, 1 + i / 16));
    // A batch: cells that are walls are refused, the others are carried out.
    std::vector<throng::AgentId> spawned, guards;
    world.spawn(specs, spawned);
    for (throng::AgentId agent : spawned) {
        if (agent == THRONG_NO_ID)
            continue;
        if (guards.size() < guard_count)
            guards.push_back(agent);
        else
            world.despawn(agent);
    }
    return guards;
}

int play() {
    throng::World world = create();
    const ThrongWorldInfo info = world.info();
    const std::vector<throng::AgentId> guards = spawn_guards(world);
    const throng::Pos goal{int32_t(info.width / 2), int32_t(info.height / 2)};
    world.send_group(guards, goal);

    const throng::Area gate = throng::Area::disc(goal, 3);
    std::vector<ThrongEvent> events;
    unsigned arrived = 0;
    for (int tick = 1; tick <= ticks; tick++) {
        if (tick == 20)
            world.block(gate);
        if (tick == 80)
            world.unblock(gate);
        if (tick == 81)
            world.send_group(guards, goal);
        if (tick == save_at)
            world = throng::World::restore(world.snapshot());
        world.tick(THRONG_BUDGET_UNITS, 20000);
        world.events(events);
        for (const ThrongEvent &event : events) {
            arrived += event.kind == THRONG_EVENT_KIND_ARRIVED;
            if (event.kind == THRONG_EVENT_KIND_GROUP_ARRIVED)
                std::printf("tick %d: the group has arrived, %" PRIu32 " short of the goal\n", tick, event.number);
        }
    }
    std::printf("%zu guards, %u arrivals, state %016" PRIx64 "\n", guards.size(), arrived, world.state_hash());

    // A failure is an exception with the status and the message of the library.
    try {
        throng::World unknown(throng::Map::builtin("rooms"), "sruge");
        return 1;
    } catch (const throng::Error &error) {
        if (error.status() != THRONG_STATUS_INVALID_PLANNER)
            return 1;
    }
    return guards.size() == guard_count && arrived >= guards.size() ? 0 : 1;
}

} // namespace

int main() {
    try {
        return play();
    } catch (const std::exception &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
