/*
 * A small game in C: forty guards go to the middle of a map of rooms as a group, a gate closes on their way and opens again,
 * and the game is saved and continued. The samples in C++ and C# play the same game and end in the same state.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "throng.h"

enum { GUARDS = 40, TICKS = 200, SAVE_AT = 60 };

/* Ends the program with the message of the library if a call has failed. */
static void check(ThrongStatus status)
{
    if (status == THRONG_STATUS_OK)
        return;
    char message[256];
    size_t length;
    throng_last_error(message, sizeof message, &length);
    fprintf(stderr, "%s\n", message);
    exit(1);
}

static ThrongWorld create(void)
{
    ThrongMap map;
    ThrongSettings settings;
    ThrongWorld world;
    check(throng_map_builtin("rooms", THRONG_CORNERS_FORBID, 0, &map));
    check(throng_settings_default(&settings));
    settings.seed = 7;
    check(throng_world_create(map, "surge", &settings, &world));
    check(throng_map_free(map));
    return world;
}

/* Saves a world and continues from the bytes, as another process could. */
static ThrongWorld save_and_load(ThrongWorld world)
{
    ThrongBytes snapshot;
    size_t size;
    check(throng_world_snapshot(world, &snapshot));
    throng_bytes_read(snapshot, NULL, 0, &size);
    uint8_t *bytes = malloc(size);
    check(throng_bytes_read(snapshot, bytes, size, &size));
    check(throng_bytes_free(snapshot));
    check(throng_world_free(world));
    check(throng_world_restore(bytes, size, &world));
    free(bytes);
    return world;
}

int main(void)
{
    ThrongWorld world = create();
    ThrongWorldInfo info;
    check(throng_world_info(world, &info));

    /* A batch: cells that are walls are refused, the others are carried out. */
    ThrongAgentSpec specs[GUARDS * 4] = {0};
    ThrongAgent spawned[GUARDS * 4], guards[GUARDS];
    for (int i = 0; i < GUARDS * 4; i++) {
        specs[i].at.x = 1 + i % 16;
        specs[i].at.y = 1 + i / 16;
    }
    throng_world_spawn(world, specs, GUARDS * 4, spawned, NULL);
    size_t count = 0;
    for (int i = 0; i < GUARDS * 4; i++) {
        if (spawned[i] == THRONG_NO_ID)
            continue;
        if (count < GUARDS)
            guards[count++] = spawned[i];
        else
            check(throng_world_despawn(world, &spawned[i], 1, NULL));
    }
    ThrongGroup group;
    ThrongPos goal = {(int32_t)info.width / 2, (int32_t)info.height / 2};
    check(throng_world_send_group(world, guards, count, goal.x, goal.y, &group, NULL));

    ThrongEdit gate = {THRONG_EDIT_KIND_BLOCK, THRONG_SHAPE_DISC, goal, {0, 0}, 3, 0, 0};
    ThrongEvent events[4 * GUARDS];
    unsigned arrived = 0;
    for (int tick = 1; tick <= TICKS; tick++) {
        if (tick == 20 || tick == 80) {
            gate.kind = tick == 20 ? THRONG_EDIT_KIND_BLOCK : THRONG_EDIT_KIND_UNBLOCK;
            check(throng_world_edit(world, &gate, 1, NULL, NULL));
        }
        if (tick == 81)
            check(throng_world_send_group(world, guards, count, goal.x, goal.y, &group, NULL));
        if (tick == SAVE_AT)
            world = save_and_load(world);
        ThrongTickReport report;
        size_t event_count;
        check(throng_world_tick(world, THRONG_BUDGET_UNITS, 20000, &report));
        check(throng_world_events(world, events, 4 * GUARDS, &event_count));
        for (size_t i = 0; i < event_count; i++) {
            arrived += events[i].kind == THRONG_EVENT_KIND_ARRIVED;
            if (events[i].kind == THRONG_EVENT_KIND_GROUP_ARRIVED)
                printf("tick %d: the group has arrived, %" PRIu32 " short of the goal\n", tick, events[i].number);
        }
    }
    uint64_t hash;
    check(throng_world_state_hash(world, &hash));
    printf("%zu guards, %u arrivals, state %016" PRIx64 "\n", count, arrived, hash);
    check(throng_world_free(world));
    return count == GUARDS && arrived >= GUARDS ? 0 : 1;
}
