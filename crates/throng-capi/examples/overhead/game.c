/* The game of main.rs through the C ABI. Prints the seconds of its ticks and its state hash. */
#define _POSIX_C_SOURCE 199309L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "throng.h"

enum { SIDE = 256, AGENTS = 2000, BUDGET = 20000, WARM_UP = 50, TICKS = 400, EVENTS = 8 * AGENTS };

static uint64_t state = 17;

static int32_t below(uint32_t end)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int32_t)((state >> 33) % end);
}

static ThrongPos random_pos(void)
{
    ThrongPos pos;
    pos.x = below(SIDE);
    pos.y = below(SIDE);
    return pos;
}

static void check(ThrongStatus status)
{
    if (status != THRONG_STATUS_OK) {
        fprintf(stderr, "status %u\n", (unsigned)status);
        exit(1);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

int main(void)
{
    static ThrongAgent agents[AGENTS];
    static ThrongPos positions[AGENTS];
    static ThrongMotion motions[AGENTS];
    static ThrongEvent events[EVENTS];
    static ThrongOrder orders[EVENTS];
    ThrongMap map;
    ThrongSettings settings;
    ThrongWorld world;
    check(throng_map_generate("random", SIDE, SIDE, 3, THRONG_CORNERS_FORBID, 0, &map));
    check(throng_settings_default(&settings));
    settings.seed = 1;
    check(throng_world_create(map, "surge", &settings, &world));
    check(throng_map_free(map));
    for (size_t count = 0; count < AGENTS;) {
        ThrongAgentSpec spec = {0};
        spec.at = random_pos();
        count += throng_world_spawn(world, &spec, 1, &agents[count], NULL) == THRONG_STATUS_OK;
    }
    for (size_t i = 0; i < AGENTS; i++) {
        orders[i].unit = agents[i];
        orders[i].to = random_pos();
    }
    check(throng_world_send(world, orders, AGENTS, NULL, NULL));
    double start = now();
    int64_t sum = 0;
    for (int tick = 0; tick < WARM_UP + TICKS; tick++) {
        if (tick == WARM_UP)
            start = now();
        ThrongTickReport report;
        size_t count, event_count;
        check(throng_world_tick(world, THRONG_BUDGET_UNITS, BUDGET, &report));
        check(throng_world_events(world, events, EVENTS, &event_count));
        check(throng_world_agents(world, agents, positions, AGENTS, &count));
        check(throng_world_motions(world, motions, AGENTS, &count));
        for (size_t i = 0; i < count; i++)
            sum += positions[i].x + motions[i].from.y;
        size_t order_count = 0;
        for (size_t i = 0; i < event_count; i++) {
            if (events[i].kind == THRONG_EVENT_KIND_ARRIVED) {
                orders[order_count].unit = events[i].agent;
                orders[order_count++].to = random_pos();
            }
        }
        check(throng_world_send(world, orders, order_count, NULL, NULL));
    }
    double seconds = now() - start;
    uint64_t hash;
    check(throng_world_state_hash(world, &hash));
    printf("%.9f %016" PRIx64 "\n", seconds, hash ^ (uint64_t)sum);
    check(throng_world_free(world));
    return 0;
}
