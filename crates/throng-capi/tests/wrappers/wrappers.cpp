// Tests of throng.hpp: what the samples and the conformance scenes do not use. Ends with 1 if a check fails.
#include <cstdio>
#include <vector>

#include "throng.hpp"

namespace {

int failures = 0;

void require(bool holds, const char *what) {
    if (holds)
        return;
    std::printf("failed: %s\n", what);
    failures++;
}
#define REQUIRE(condition) require(condition, #condition)

bool equal(throng::Pos a, throng::Pos b) { return a.x == b.x && a.y == b.y; }

// A restored game draws the map as it was when it was saved.
void the_map_of_a_restored_world() {
    throng::World world(throng::Map::create(4, 2, std::vector<std::uint8_t>(8, THRONG_TERRAIN_GROUND)));
    world.set_terrain(throng::Area::cell({1, 0}), THRONG_TERRAIN_WATER);
    world.block(throng::Area::cell({2, 1}));
    const throng::World restored = throng::World::restore(world.snapshot());
    REQUIRE((restored.terrain() == std::vector<std::uint8_t>{0, THRONG_TERRAIN_WATER, 0, 0, 0, 0, 0, 0}));
    REQUIRE((restored.walkable() == std::vector<std::uint8_t>{1, 0, 1, 1, 1, 1, 0, 1}));
    try {
        restored.walkable(9);
        REQUIRE(!"a profile that does not exist");
    } catch (const throng::Error &error) {
        REQUIRE(error.status() == THRONG_STATUS_NO_SUCH_PROFILE);
        REQUIRE(throng::status_name(error.status()) == "THRONG_STATUS_NO_SUCH_PROFILE");
    }
}

void batches() {
    throng::World world(throng::Map::create(8, 1, std::vector<std::uint8_t>(8, THRONG_TERRAIN_GROUND)));
    const throng::AgentId agent = *world.spawn(throng::agent_at(0, 0));
    std::vector<throng::ForeignId> units;
    std::vector<throng::Pos> places;
    std::vector<throng::Status> results = world.place_foreign({{5, 0}, {0, 0}, {6, 0}}, units);
    REQUIRE(results[0] == THRONG_STATUS_OK && results[1] == THRONG_STATUS_OCCUPIED && units[1] == THRONG_NO_ID);
    results = world.move_foreign({{units[0], {4, 0}}, {units[2], {0, 0}}});
    REQUIRE(results[0] == THRONG_STATUS_OK && results[1] == THRONG_STATUS_OCCUPIED);
    world.foreign_units(units, places);
    REQUIRE(units.size() == 2 && equal(places[0], {4, 0}) && equal(places[1], {6, 0}));

    world.send(agent, {3, 0});
    world.tick(THRONG_BUDGET_UNITS, 20000);
    const std::vector<throng::AgentId> asked{agent, agent + 7};
    results = world.positions(asked, places);
    REQUIRE(results[0] == THRONG_STATUS_OK && results[1] == THRONG_STATUS_NO_SUCH_AGENT);
    REQUIRE(equal(places[0], {1, 0}) && equal(places[1], {-1, -1}));
    std::vector<ThrongAgentInfo> infos;
    world.agent_infos(asked, infos);
    REQUIRE(infos[0].state == THRONG_STATE_MOVING && infos[1].state == THRONG_STATE_UNKNOWN);
    std::vector<ThrongNextCell> next;
    world.next_cells(asked, next);
    REQUIRE(next[0].is_known && equal(next[0].at, {2, 0}) && !next[1].is_known);
}

void orders() {
    throng::World world(throng::Map::create(8, 1, std::vector<std::uint8_t>(8, THRONG_TERRAIN_GROUND)));
    const throng::AgentId agent = *world.spawn(throng::agent_at(0, 0)), other = *world.spawn(throng::agent_at(7, 0));
    REQUIRE(world.orders(agent).first.kind == THRONG_ORDERS_KIND_NONE);
    world.send(agent, {2, 0});
    world.queue({{agent, {4, 0}}, {agent, {5, 0}}});
    std::pair<ThrongOrders, std::vector<throng::Pos>> found = world.orders(agent);
    REQUIRE(found.first.kind == THRONG_ORDERS_KIND_QUEUE && found.second.size() == 2 && equal(found.second[1], {5, 0}));
    world.patrol(agent, {{1, 0}, {3, 0}});
    found = world.orders(agent);
    REQUIRE(found.first.kind == THRONG_ORDERS_KIND_PATROL && found.first.next == 0 && found.second.size() == 2);
    world.follow_agent(agent, other, 3);
    found = world.orders(agent);
    REQUIRE(found.first.kind == THRONG_ORDERS_KIND_FOLLOW && found.first.unit.id == other && found.first.distance == 3);
}

} // namespace

int main() {
    throng::check_abi_version();
    the_map_of_a_restored_world();
    batches();
    orders();
    return failures == 0 ? 0 : 1;
}
