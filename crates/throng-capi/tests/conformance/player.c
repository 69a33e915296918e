/*
 * Plays the conformance scenes through the C ABI, and compares the state hashes and counts with those of the table.
 * crates/throng/conformance/README.md explains the lines.
 *
 *     player SCENES
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "throng.h"

#define MAX_WORDS 512
#define MAX_AGENTS 4096
#define MAX_SIDE 64

typedef struct {
    ThrongProfile profiles[8];
    size_t profile_count;
    char planner[128];
    uint32_t corners, four_way;
    ThrongSettings settings;
    ThrongWorld world;
    ThrongAgent agents[MAX_AGENTS];
    size_t agent_count;
    ThrongForeign foreign[MAX_AGENTS];
    size_t foreign_count;
    struct {
        size_t agent;
        ThrongPos goal;
    } goals[26];
    size_t goal_count;
    ThrongEvent *events;
    size_t event_capacity;
    unsigned long arrived, refused;
} Game;

static const char *scene = "";
static unsigned line_number;

/* Ends the program with the message of the library. */
static void fail(const char *what)
{
    char message[512];
    size_t length;
    throng_last_error(message, sizeof message, &length);
    fprintf(stderr, "scene %s, line %u: %s: %s\n", scene, line_number, what, message);
    exit(2);
}

static void require(ThrongStatus status, const char *what)
{
    if (status != THRONG_STATUS_OK)
        fail(what);
}

static int32_t number(const char *word)
{
    return (int32_t)strtol(word, NULL, 10);
}

static void new_game(Game *game)
{
    if (game->world != 0)
        require(throng_world_free(game->world), "free");
    free(game->events);
    memset(game, 0, sizeof *game);
    strcpy(game->planner, "surge");
    require(throng_settings_default(&game->settings), "settings");
}

/* Reads a line before the map. */
static void set_up(Game *game, char **word, size_t count)
{
    ThrongSettings *settings = &game->settings;
    uint32_t value = (uint32_t)number(word[1]);
    if (strcmp(word[0], "planner") == 0)
        snprintf(game->planner, sizeof game->planner, "%s", word[1]);
    else if (strcmp(word[0], "seed") == 0)
        settings->seed = strtoull(word[1], NULL, 10);
    else if (strcmp(word[0], "corners") == 0)
        game->corners = value;
    else if (strcmp(word[0], "four-way") == 0)
        game->four_way = value;
    else if (strcmp(word[0], "crossings") == 0)
        settings->crossings = value;
    else if (strcmp(word[0], "sharing") == 0)
        settings->sharing = value;
    else if (strcmp(word[0], "step-time") == 0)
        settings->step_time = value;
    else if (strcmp(word[0], "stuck-after") == 0)
        settings->stuck_after = value;
    else if (strcmp(word[0], "fog") == 0) {
        settings->fog_radius = value;
        settings->fog_shared = (uint32_t)number(word[2]);
    } else if (strcmp(word[0], "profile") == 0 && count == 9) {
        ThrongProfile *profile = &game->profiles[game->profile_count++];
        for (size_t i = 0; i < 7; i++)
            profile->halves[i] = (uint8_t)number(word[1 + i]);
        profile->passage_class = (uint8_t)number(word[8]);
    } else
        fail("unknown line before the map");
}

/* Creates the world on a map, which is freed. */
static void create(Game *game, ThrongMap map)
{
    for (size_t i = 0; i < game->profile_count; i++) {
        uint32_t profile;
        require(throng_map_add_profile(map, &game->profiles[i], &profile), "profile");
    }
    require(throng_world_create(map, game->planner, &game->settings, &game->world), "world");
    require(throng_map_free(map), "free the map");
}

/* Spawns an agent and returns true unless the world refuses it. */
static bool spawn(Game *game, ThrongAgentSpec spec)
{
    ThrongStatus status = throng_world_spawn(game->world, &spec, 1, &game->agents[game->agent_count], NULL);
    game->agent_count += status == THRONG_STATUS_OK;
    return status == THRONG_STATUS_OK;
}

static void read_picture(Game *game, FILE *table)
{
    static uint8_t terrain[MAX_SIDE * MAX_SIDE];
    ThrongPos starts[26], goals[26];
    bool has_start[26] = {false}, has_goal[26] = {false};
    char row[MAX_SIDE + 8];
    uint32_t width = 0, height = 0;
    while (fgets(row, sizeof row, table) != NULL && strncmp(row, "end", 3) != 0) {
        line_number++;
        width = (uint32_t)strcspn(row, "\r\n");
        for (uint32_t x = 0; x < width; x++) {
            ThrongPos at = {(int32_t)x, (int32_t)height};
            char c = row[x];
            terrain[height * width + x] = c == '#' ? THRONG_TERRAIN_WALL : THRONG_TERRAIN_GROUND;
            if (c >= 'a' && c <= 'z') {
                starts[c - 'a'] = at;
                has_start[c - 'a'] = true;
            } else if (c >= 'A' && c <= 'Z') {
                goals[c - 'A'] = at;
                has_goal[c - 'A'] = true;
            }
        }
        height++;
    }
    line_number++;
    ThrongMap map;
    require(throng_map_create(width, height, terrain, width * height, game->corners, game->four_way, &map),
            "map");
    create(game, map);
    for (size_t i = 0; i < 26; i++) {
        if (!has_start[i])
            continue;
        if (has_goal[i]) {
            game->goals[game->goal_count].agent = game->agent_count;
            game->goals[game->goal_count++].goal = goals[i];
        }
        ThrongAgentSpec spec = {.at = starts[i]};
        if (!spawn(game, spec))
            fail("spawn");
    }
}

static void tick(Game *game, int32_t count, const char *kind, uint64_t amount)
{
    uint32_t budget;
    if (strcmp(kind, "unlimited") == 0)
        budget = THRONG_BUDGET_UNLIMITED;
    else if (strcmp(kind, "units") == 0)
        budget = THRONG_BUDGET_UNITS;
    else if (strcmp(kind, "expansions") == 0)
        budget = THRONG_BUDGET_EXPANSIONS;
    else
        budget = THRONG_BUDGET_ROUNDS;
    for (int32_t i = 0; i < count; i++) {
        ThrongTickReport report;
        require(throng_world_tick(game->world, budget, amount, &report), "tick");
        if (report.events > game->event_capacity) {
            game->event_capacity = 2 * report.events;
            game->events = realloc(game->events, game->event_capacity * sizeof *game->events);
        }
        size_t events;
        require(throng_world_events(game->world, game->events, game->event_capacity, &events), "events");
        for (size_t e = 0; e < events; e++)
            game->arrived += game->events[e].kind == THRONG_EVENT_KIND_ARRIVED;
    }
}

/* Goes on with the world restored from a snapshot. */
static void restore(Game *game)
{
    ThrongBytes snapshot;
    size_t size;
    require(throng_world_snapshot(game->world, &snapshot), "snapshot");
    throng_bytes_read(snapshot, NULL, 0, &size);
    uint8_t *bytes = malloc(size);
    require(throng_bytes_read(snapshot, bytes, size, &size), "bytes");
    require(throng_bytes_free(snapshot), "free the bytes");
    require(throng_world_free(game->world), "free");
    require(throng_world_restore(bytes, size, &game->world), "restore");
    free(bytes);
}

static uint64_t crowd_state;

static int32_t random_below(uint32_t end)
{
    crowd_state = crowd_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int32_t)((crowd_state >> 33) % end);
}

static ThrongStatus crowd(Game *game, size_t count, uint64_t seed)
{
    ThrongWorldInfo info;
    require(throng_world_info(game->world, &info), "info");
    crowd_state = seed;
    size_t first = game->agent_count;
    while (game->agent_count < first + count) {
        ThrongAgentSpec spec = {0};
        spec.at.x = random_below(info.width);
        spec.at.y = random_below(info.height);
        spawn(game, spec);
    }
    ThrongOrder *orders = calloc(count, sizeof *orders);
    for (size_t i = 0; i < count; i++) {
        orders[i].unit = game->agents[first + i];
        orders[i].to.x = random_below(info.width);
        orders[i].to.y = random_below(info.height);
    }
    ThrongStatus status = throng_world_send(game->world, orders, count, NULL, NULL);
    free(orders);
    return status;
}

/* Carries out an edit; returns false for another word. */
static bool edit(Game *game, char **word, ThrongStatus *status)
{
    static const struct {
        const char *word;
        uint32_t kind, shape;
    } edits[] = {
        {"block", THRONG_EDIT_KIND_BLOCK, THRONG_SHAPE_RECTANGLE},
        {"unblock", THRONG_EDIT_KIND_UNBLOCK, THRONG_SHAPE_RECTANGLE},
        {"block-disc", THRONG_EDIT_KIND_BLOCK, THRONG_SHAPE_DISC},
        {"unblock-disc", THRONG_EDIT_KIND_UNBLOCK, THRONG_SHAPE_DISC},
        {"terrain", THRONG_EDIT_KIND_TERRAIN, THRONG_SHAPE_RECTANGLE},
        {"door", THRONG_EDIT_KIND_DOOR, THRONG_SHAPE_RECTANGLE},
        {"cost", THRONG_EDIT_KIND_COST, THRONG_SHAPE_RECTANGLE},
    };
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        if (strcmp(word[0], edits[i].word) != 0)
            continue;
        ThrongEdit change = {.kind = edits[i].kind, .shape = edits[i].shape};
        change.a.x = number(word[1]);
        change.a.y = number(word[2]);
        if (change.shape == THRONG_SHAPE_DISC)
            change.radius = number(word[3]);
        else {
            change.b.x = number(word[3]);
            change.b.y = number(word[4]);
        }
        if (change.kind == THRONG_EDIT_KIND_TERRAIN)
            change.value = (uint32_t)number(word[5]);
        if (change.kind == THRONG_EDIT_KIND_DOOR || change.kind == THRONG_EDIT_KIND_COST)
            change.value = (uint32_t)strtoul(word[5], NULL, 16);
        if (change.kind == THRONG_EDIT_KIND_COST)
            change.extra = (uint32_t)number(word[6]);
        *status = throng_world_edit(game->world, &change, 1, NULL, NULL);
        return true;
    }
    return false;
}

/* Carries out a line about foreign units; returns false for another word. */
static bool foreign(Game *game, char **word, ThrongStatus *status)
{
    if (strcmp(word[0], "foreign") == 0) {
        ThrongPos at = {number(word[1]), number(word[2])};
        *status = throng_world_place_foreign(game->world, &at, 1, &game->foreign[game->foreign_count], NULL);
        game->foreign_count += *status == THRONG_STATUS_OK;
        return true;
    }
    if (strcmp(word[0], "move-foreign") == 0) {
        ThrongOrder order = {game->foreign[number(word[1])], {number(word[2]), number(word[3])}};
        *status = throng_world_move_foreign(game->world, &order, 1, NULL);
        return true;
    }
    if (strcmp(word[0], "remove-foreign") == 0) {
        *status = throng_world_remove_foreign(game->world, &game->foreign[number(word[1])], 1, NULL);
        return true;
    }
    return false;
}

/* Carries out a line about agents. */
static ThrongStatus order(Game *game, char **word, size_t count)
{
    ThrongWorld world = game->world;
    if (strcmp(word[0], "spawn") == 0) {
        ThrongAgentSpec spec = {.at = {number(word[1]), number(word[2])}, .profile = (uint32_t)number(word[3])};
        spec.steps = (uint32_t)number(word[4]);
        spec.ticks = (uint32_t)number(word[5]);
        return spawn(game, spec) ? THRONG_STATUS_OK : THRONG_STATUS_REFUSED;
    }
    if (strcmp(word[0], "group") == 0) {
        ThrongAgent members[MAX_WORDS];
        ThrongGroup group;
        for (size_t i = 3; i < count; i++)
            members[i - 3] = game->agents[number(word[i])];
        return throng_world_send_group(world, members, count - 3, number(word[1]), number(word[2]), &group, NULL);
    }
    ThrongAgent agent = game->agents[number(word[1])];
    int32_t a = count > 2 ? number(word[2]) : 0, b = count > 3 ? number(word[3]) : 0;
    ThrongOrder to = {agent, {a, b}};
    if (strcmp(word[0], "send") == 0)
        return throng_world_send(world, &to, 1, NULL, NULL);
    if (strcmp(word[0], "queue") == 0)
        return throng_world_queue(world, &to, 1, NULL);
    if (strcmp(word[0], "teleport") == 0)
        return throng_world_teleport(world, &to, 1, NULL);
    if (strcmp(word[0], "extend-patrol") == 0)
        return throng_world_extend_patrol(world, agent, a, b);
    if (strcmp(word[0], "patrol") == 0) {
        ThrongPos points[MAX_WORDS];
        size_t length = (count - 2) / 2;
        for (size_t i = 0; i < length; i++) {
            points[i].x = number(word[2 + 2 * i]);
            points[i].y = number(word[3 + 2 * i]);
        }
        return throng_world_patrol(world, agent, points, length);
    }
    if (strcmp(word[0], "follow-agent") == 0)
        return throng_world_follow(world, agent, THRONG_UNIT_KIND_AGENT, game->agents[a], (uint32_t)b);
    if (strcmp(word[0], "follow-foreign") == 0)
        return throng_world_follow(world, agent, THRONG_UNIT_KIND_FOREIGN, game->foreign[a], (uint32_t)b);
    if (strcmp(word[0], "despawn") == 0)
        return throng_world_despawn(world, &agent, 1, NULL);
    if (strcmp(word[0], "halt") == 0)
        return throng_world_halt(world, &agent, 1, NULL);
    if (strcmp(word[0], "hold") == 0)
        return throng_world_hold(world, &agent, 1, (uint32_t)a, NULL);
    if (strcmp(word[0], "control") == 0)
        return throng_world_control(world, &agent, 1, (uint32_t)a, NULL);
    if (strcmp(word[0], "priority") == 0)
        return throng_world_set_priority(world, &agent, 1, a, NULL);
    if (strcmp(word[0], "speed") == 0)
        return throng_world_set_speed(world, &agent, 1, (uint32_t)a, (uint32_t)b, NULL);
    if (strcmp(word[0], "profile-of") == 0)
        return throng_world_set_profile(world, &agent, 1, (uint32_t)a, NULL);
    fail("unknown line");
    return THRONG_STATUS_REFUSED;
}

/* Carries out a line after the map. */
static void carry_out(Game *game, char **word, size_t count)
{
    ThrongStatus status = THRONG_STATUS_OK;
    if (strcmp(word[0], "go") == 0) {
        for (size_t i = 0; i < game->goal_count && status == THRONG_STATUS_OK; i++) {
            ThrongOrder to = {game->agents[game->goals[i].agent], game->goals[i].goal};
            status = throng_world_send(game->world, &to, 1, NULL, NULL);
        }
    } else if (strcmp(word[0], "tick") == 0)
        tick(game, number(word[1]), word[2], strtoull(word[3], NULL, 10));
    else if (strcmp(word[0], "snapshot") == 0)
        restore(game);
    else if (strcmp(word[0], "clone") == 0) {
        ThrongWorld copy;
        require(throng_world_clone(game->world, &copy), "clone");
        require(throng_world_free(game->world), "free");
        game->world = copy;
    } else if (strcmp(word[0], "crowd") == 0)
        status = crowd(game, (size_t)number(word[1]), strtoull(word[2], NULL, 10));
    else if (!edit(game, word, &status) && !foreign(game, word, &status))
        status = order(game, word, count);
    game->refused += status != THRONG_STATUS_OK;
}

/* Compares an expected value with the one that was found, and returns the number of differences. */
static unsigned compare(const char *what, uint64_t expected, uint64_t found)
{
    if (expected == found)
        return 0;
    fprintf(stderr, "scene %s, line %u: %s is %" PRIx64 ", expected %" PRIx64 "\n", scene, line_number, what, found,
            expected);
    return 1;
}

int main(int argc, char **argv)
{
    FILE *table = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (table == NULL) {
        fprintf(stderr, "usage: player SCENES\n");
        return 2;
    }
    static Game game;
    static char line[4096], name[128];
    unsigned scenes = 0, hashes = 0, differences = 0;
    while (fgets(line, sizeof line, table) != NULL) {
        char *word[MAX_WORDS];
        size_t count = 0;
        line_number++;
        for (char *next = strtok(line, " \r\n"); next != NULL && count < MAX_WORDS; next = strtok(NULL, " \r\n"))
            word[count++] = next;
        if (count == 0 || strncmp(word[0], "//", 2) == 0)
            continue;
        if (strcmp(word[0], "scene") == 0) {
            snprintf(name, sizeof name, "%s", word[1]);
            scene = name;
            new_game(&game);
            scenes++;
        } else if (strcmp(word[0], "map") == 0)
            read_picture(&game, table);
        else if (strcmp(word[0], "builtin") == 0) {
            ThrongMap map;
            require(throng_map_builtin(word[1], game.corners, game.four_way, &map), "map");
            create(&game, map);
        } else if (strcmp(word[0], "hash") == 0) {
            uint64_t hash;
            require(throng_world_state_hash(game.world, &hash), "hash");
            differences += compare("the state hash", strtoull(word[1], NULL, 16), hash);
            hashes++;
        } else if (strcmp(word[0], "arrived") == 0)
            differences += compare("the number of arrivals", strtoull(word[1], NULL, 10), game.arrived);
        else if (strcmp(word[0], "refused") == 0)
            differences += compare("the number of refusals", strtoull(word[1], NULL, 10), game.refused);
        else if (game.world == 0)
            set_up(&game, word, count);
        else
            carry_out(&game, word, count);
    }
    new_game(&game);
    fclose(table);
    printf("C: %u scenes, %u hashes, %u differences\n", scenes, hashes, differences);
    return differences == 0 && scenes >= 15 && hashes >= 30 ? 0 : 1;
}
