/*
 * throng for C++17: a header over throng.h that frees handles by itself and reports failures.
 *
 * Failures. A call that fails throws throng::Error, which has the status and the message. A batch throws only if it could not
 * be carried out at all: entries that the world refuses are normal in a game, so batches return one status per entry, and
 * orders to a single agent return theirs. Without exceptions (`-fno-exceptions`, as in Unreal), a failure calls
 * THRONG_FAIL(status, message), which a program may define before it includes this file; it must not return. The default
 * aborts the program.
 *
 * Threads. Like throng.h: const functions of one world may run on several threads at the same time; any other overlap fails
 * with THRONG_STATUS_BUSY.
 */
#ifndef THRONG_HPP
#define THRONG_HPP

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "throng.h"

namespace throng {

using AgentId = ThrongAgent;
using ForeignId = ThrongForeign;
using GroupId = ThrongGroup;
using Pos = ThrongPos;
using Status = ThrongStatus;

/* The arguments and result of THRONG_FAIL. */
inline std::string last_error() {
    std::string message(256, '\0');
    std::size_t length = 0;
    while (throng_last_error(&message[0], message.size(), &length) == THRONG_STATUS_BUFFER_TOO_SMALL)
        message.resize(length + 1);
    message.resize(length);
    return message;
}

/* A call that failed. */
class Error : public std::runtime_error {
public:
    Error(Status status, const std::string &message) : std::runtime_error(message), status_(status) {}
    Status status() const noexcept { return status_; }

private:
    Status status_;
};

#ifndef THRONG_FAIL
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
#define THRONG_FAIL(status, message) throw ::throng::Error((status), (message))
#else
#define THRONG_FAIL(status, message) ((void)(message), std::abort())
#endif
#endif

/* Fails unless the status is THRONG_STATUS_OK. */
inline void check(Status status) {
    if (status != THRONG_STATUS_OK)
        THRONG_FAIL(status, last_error());
}

/* Returns the statuses of a batch; fails if the batch was not carried out. */
inline std::vector<Status> check_batch(Status status, std::vector<Status> results) {
    if (status != THRONG_STATUS_OK && status != THRONG_STATUS_SOME_REFUSED &&
        !(results.size() == 1 && results[0] == status))
        THRONG_FAIL(status, last_error());
    return results;
}

/* Entries that a call reads: a vector, an array, a list in braces, or one value. */
template <typename T> class Span {
public:
    Span(const std::vector<T> &all) : data_(all.data()), size_(all.size()) {}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
    /* The list lives until the call for which it is written has returned. */
    Span(std::initializer_list<T> all) : data_(all.begin()), size_(all.size()) {}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#pragma GCC diagnostic pop
#endif
    Span(const T &one) : data_(&one), size_(1) {}
    Span(const T *data, std::size_t size) : data_(data), size_(size) {}
    const T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }

private:
    const T *data_;
    std::size_t size_;
};

namespace detail {

/* A handle with an owner. */
template <ThrongStatus (*Free)(std::uint64_t)> class Handle {
public:
    explicit Handle(std::uint64_t handle = 0) noexcept : handle_(handle) {}
    Handle(Handle &&other) noexcept : handle_(std::exchange(other.handle_, 0)) {}
    Handle &operator=(Handle &&other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Handle() {
        if (handle_ != 0)
            Free(handle_);
    }
    std::uint64_t get() const noexcept { return handle_; }

private:
    std::uint64_t handle_;
};

/* Calls a function that fills an array, again with a larger one if it is too small. */
template <typename T, typename Call> void fill(std::vector<T> &entries, Call call) {
    entries.resize(entries.capacity());
    std::size_t count = 0;
    Status status = call(entries.data(), entries.size(), &count);
    while (status == THRONG_STATUS_BUFFER_TOO_SMALL) {
        entries.resize(count);
        status = call(entries.data(), entries.size(), &count);
    }
    check(status);
    entries.resize(count);
}

template <typename Call> std::string text(Call call) {
    std::string text(64, '\0');
    std::size_t length = 0;
    Status status = call(&text[0], text.size(), &length);
    while (status == THRONG_STATUS_BUFFER_TOO_SMALL) {
        text.resize(length + 1);
        status = call(&text[0], text.size(), &length);
    }
    check(status);
    text.resize(length);
    return text;
}

/* Copies bytes of the library and frees them. */
inline std::vector<std::uint8_t> take(ThrongBytes handle) {
    Handle<throng_bytes_free> bytes(handle);
    std::vector<std::uint8_t> copy;
    fill(copy, [&](std::uint8_t *buffer, std::size_t capacity, std::size_t *count) {
        return throng_bytes_read(bytes.get(), buffer, capacity, count);
    });
    return copy;
}

} // namespace detail

/* Fails if the library that was linked or loaded has another binary interface than this header. */
inline void check_abi_version() {
    std::uint32_t version = 0;
    check(throng_abi_version(&version));
    if (version != THRONG_ABI_VERSION)
        THRONG_FAIL(THRONG_STATUS_UNSUPPORTED, "the library has the binary interface " + std::to_string(version) +
                                                   ", this program needs " + std::to_string(THRONG_ABI_VERSION));
}

inline std::string version() {
    return detail::text([](char *text, std::size_t capacity, std::size_t *length) {
        return throng_version(text, capacity, length);
    });
}

/* The names of all planners, separated by line ends. */
inline std::string planner_names() {
    return detail::text([](char *text, std::size_t capacity, std::size_t *length) {
        return throng_planner_names(text, capacity, length);
    });
}

inline std::string status_name(Status status) {
    return detail::text([&](char *text, std::size_t capacity, std::size_t *length) {
        return throng_status_name(status, text, capacity, length);
    });
}

inline ThrongSettings default_settings() {
    ThrongSettings settings;
    check(throng_settings_default(&settings));
    return settings;
}

/* An agent at a position, of the usual profile and speed. */
inline ThrongAgentSpec agent_at(std::int32_t x, std::int32_t y) {
    ThrongAgentSpec spec{};
    spec.at = {x, y};
    return spec;
}

/* The cells of an edit. */
struct Area {
    std::uint32_t shape;
    Pos a, b;
    std::int32_t radius;
    static Area cell(Pos at) { return {THRONG_SHAPE_RECTANGLE, at, at, 0}; }
    static Area rectangle(Pos a, Pos b) { return {THRONG_SHAPE_RECTANGLE, a, b, 0}; }
    static Area disc(Pos centre, std::int32_t radius) { return {THRONG_SHAPE_DISC, centre, centre, radius}; }
};

/* How a diagonal step is judged, and whether there are any. */
struct MoveRules {
    std::uint32_t corners = THRONG_CORNERS_FORBID;
    bool four_way = false;
};

/* Terrain, move rules and profiles. */
class Map {
public:
    /* One ThrongTerrain per cell, in row order. */
    static Map create(std::uint32_t width, std::uint32_t height, Span<std::uint8_t> terrain, MoveRules rules = {}) {
        return made([&](ThrongMap *map) {
            return throng_map_create(width, height, terrain.data(), terrain.size(), rules.corners, rules.four_way, map);
        });
    }
    /* The content of a MovingAI file. */
    static Map parse(Span<std::uint8_t> file, MoveRules rules = {}) {
        return made([&](ThrongMap *map) {
            return throng_map_parse(file.data(), file.size(), rules.corners, rules.four_way, map);
        });
    }
    static Map builtin(const std::string &name, MoveRules rules = {}) {
        return made([&](ThrongMap *map) {
            return throng_map_builtin(name.c_str(), rules.corners, rules.four_way, map);
        });
    }
    static Map generate(const std::string &generator, std::uint32_t width, std::uint32_t height, std::uint64_t seed,
                        MoveRules rules = {}) {
        return made([&](ThrongMap *map) {
            return throng_map_generate(generator.c_str(), width, height, seed, rules.corners, rules.four_way, map);
        });
    }
    /* Returns the number of the profile. */
    std::uint32_t add_profile(const ThrongProfile &profile) {
        std::uint32_t number = 0;
        check(throng_map_add_profile(handle_.get(), &profile, &number));
        return number;
    }
    std::pair<std::uint32_t, std::uint32_t> size() const {
        std::pair<std::uint32_t, std::uint32_t> size;
        check(throng_map_size(handle_.get(), &size.first, &size.second));
        return size;
    }
    std::vector<std::uint8_t> terrain() const {
        std::vector<std::uint8_t> terrain;
        detail::fill(terrain, [&](std::uint8_t *cells, std::size_t capacity, std::size_t *count) {
            return throng_map_terrain(handle_.get(), cells, capacity, count);
        });
        return terrain;
    }
    ThrongMap handle() const noexcept { return handle_.get(); }

private:
    explicit Map(ThrongMap map) : handle_(map) {}
    template <typename Call> static Map made(Call call) {
        ThrongMap map = 0;
        check(call(&map));
        return Map(map);
    }
    detail::Handle<throng_map_free> handle_;
};

/* A map with agents, and the planner that moves them. */
class World {
public:
    explicit World(const Map &map, const std::string &planner = "surge",
                   const ThrongSettings &settings = default_settings())
        : World(0) {
        ThrongWorld world = 0;
        check(throng_world_create(map.handle(), planner.c_str(), &settings, &world));
        *this = World(world);
    }
    /* Continues from a snapshot. */
    static World restore(Span<std::uint8_t> snapshot) {
        ThrongWorld world = 0;
        check(throng_world_restore(snapshot.data(), snapshot.size(), &world));
        return World(world);
    }
    /* Returns a copy that continues exactly as this world does. */
    World clone() const {
        ThrongWorld copy = 0;
        check(throng_world_clone(id(), &copy));
        return World(copy);
    }
    void copy_from(const World &source) { check(throng_world_copy_from(id(), source.id())); }
    void set_threads(std::uint32_t threads) { check(throng_world_set_threads(id(), threads)); }

    /* The budget is a ThrongBudget, the amount its number. */
    ThrongTickReport tick(std::uint32_t budget, std::uint64_t amount) {
        ThrongTickReport report;
        check(throng_world_tick(id(), budget, amount, &report));
        return report;
    }
    /* Fills a vector, whose memory is used again, with the events of the last tick. */
    void events(std::vector<ThrongEvent> &events) const {
        detail::fill(events, [&](ThrongEvent *all, std::size_t capacity, std::size_t *count) {
            return throng_world_events(id(), all, capacity, count);
        });
    }
    std::string notice(std::uint32_t number) const {
        return detail::text([&](char *text, std::size_t capacity, std::size_t *length) {
            return throng_world_notice(id(), number, text, capacity, length);
        });
    }

    /* Puts an agent on the map; nothing if the world refuses it. */
    std::optional<AgentId> spawn(const ThrongAgentSpec &spec) {
        std::vector<AgentId> agents;
        Status status = spawn(spec, agents)[0];
        return status == THRONG_STATUS_OK ? std::optional<AgentId>(agents[0]) : std::nullopt;
    }
    /* Puts agents on the map. `agents` gets their ids, THRONG_NO_ID for those that are refused. */
    std::vector<Status> spawn(Span<ThrongAgentSpec> specs, std::vector<AgentId> &agents) {
        agents.resize(specs.size());
        std::vector<Status> results(specs.size());
        Status status = throng_world_spawn(id(), specs.data(), specs.size(), agents.data(), results.data());
        return check_batch(status, std::move(results));
    }
    std::vector<Status> despawn(Span<AgentId> agents) { return batch(throng_world_despawn, agents); }
    Status send(AgentId agent, Pos goal) { return send(ThrongOrder{agent, goal})[0]; }
    std::vector<Status> send(Span<ThrongOrder> orders) {
        std::vector<Status> results(orders.size());
        Status status = throng_world_send(id(), orders.data(), orders.size(), nullptr, results.data());
        return check_batch(status, std::move(results));
    }
    GroupId send_group(Span<AgentId> agents, Pos goal) {
        GroupId group = 0;
        check(throng_world_send_group(id(), agents.data(), agents.size(), goal.x, goal.y, &group, nullptr));
        return group;
    }
    std::vector<Status> teleport(Span<ThrongOrder> orders) { return batch(throng_world_teleport, orders); }
    std::vector<Status> queue(Span<ThrongOrder> orders) { return batch(throng_world_queue, orders); }
    std::vector<Status> halt(Span<AgentId> agents) { return batch(throng_world_halt, agents); }
    std::vector<Status> hold(Span<AgentId> agents, bool holds) {
        return batch(throng_world_hold, agents, std::uint32_t(holds));
    }
    std::vector<Status> control(Span<AgentId> agents, bool controlled) {
        return batch(throng_world_control, agents, std::uint32_t(controlled));
    }
    std::vector<Status> set_priority(Span<AgentId> agents, std::int32_t priority) {
        return batch(throng_world_set_priority, agents, priority);
    }
    std::vector<Status> set_speed(Span<AgentId> agents, std::uint32_t steps, std::uint32_t ticks) {
        return batch(throng_world_set_speed, agents, steps, ticks);
    }
    std::vector<Status> set_profile(Span<AgentId> agents, std::uint32_t profile) {
        return batch(throng_world_set_profile, agents, profile);
    }
    Status patrol(AgentId agent, Span<Pos> points) {
        return throng_world_patrol(id(), agent, points.data(), points.size());
    }
    Status extend_patrol(AgentId agent, Pos point) {
        return throng_world_extend_patrol(id(), agent, point.x, point.y);
    }
    Status follow_agent(AgentId agent, AgentId other, std::uint32_t distance) {
        return throng_world_follow(id(), agent, THRONG_UNIT_KIND_AGENT, other, distance);
    }
    Status follow_foreign(AgentId agent, ForeignId other, std::uint32_t distance) {
        return throng_world_follow(id(), agent, THRONG_UNIT_KIND_FOREIGN, other, distance);
    }

    /* Puts a foreign unit on the map; nothing if the world refuses it. */
    std::optional<ForeignId> place_foreign(Pos at) {
        ForeignId unit = 0;
        Status status = THRONG_STATUS_OK;
        Status outcome = throng_world_place_foreign(id(), &at, 1, &unit, &status);
        check_batch(outcome, {status});
        return status == THRONG_STATUS_OK ? std::optional<ForeignId>(unit) : std::nullopt;
    }
    /* Puts foreign units on the map. `units` gets their ids, THRONG_NO_ID for those that are refused. */
    std::vector<Status> place_foreign(Span<Pos> positions, std::vector<ForeignId> &units) {
        units.resize(positions.size());
        std::vector<Status> results(positions.size());
        Status status =
            throng_world_place_foreign(id(), positions.data(), positions.size(), units.data(), results.data());
        return check_batch(status, std::move(results));
    }
    Status move_foreign(ForeignId unit, Pos to) { return move_foreign(ThrongOrder{unit, to})[0]; }
    std::vector<Status> move_foreign(Span<ThrongOrder> orders) { return batch(throng_world_move_foreign, orders); }
    Status remove_foreign(ForeignId unit) { return batch(throng_world_remove_foreign, Span<ForeignId>(unit))[0]; }

    /* Edits return how many cells they changed. */
    std::uint64_t block(const Area &area) { return edit(THRONG_EDIT_KIND_BLOCK, area, 0, 0); }
    std::uint64_t unblock(const Area &area) { return edit(THRONG_EDIT_KIND_UNBLOCK, area, 0, 0); }
    std::uint64_t set_terrain(const Area &area, std::uint32_t terrain) {
        return edit(THRONG_EDIT_KIND_TERRAIN, area, terrain, 0);
    }
    std::uint64_t set_door(const Area &area, std::uint32_t classes) {
        return edit(THRONG_EDIT_KIND_DOOR, area, classes, 0);
    }
    std::uint64_t set_cost(const Area &area, std::uint32_t classes, std::uint32_t extra) {
        return edit(THRONG_EDIT_KIND_COST, area, classes, extra);
    }

    ThrongWorldInfo info() const {
        ThrongWorldInfo info;
        check(throng_world_info(id(), &info));
        return info;
    }
    std::uint64_t state_hash() const {
        std::uint64_t hash = 0;
        check(throng_world_state_hash(id(), &hash));
        return hash;
    }
    std::string planner_name() const {
        return detail::text([&](char *text, std::size_t capacity, std::size_t *length) {
            return throng_world_planner_name(id(), text, capacity, length);
        });
    }
    /* Fills vectors, whose memory is used again, with all living agents and their positions. */
    void agents(std::vector<AgentId> &agents, std::vector<Pos> &positions) const {
        detail::fill(agents, [&](AgentId *ids, std::size_t capacity, std::size_t *count) {
            positions.resize(capacity);
            return throng_world_agents(id(), ids, positions.data(), capacity, count);
        });
        positions.resize(agents.size());
    }
    /* Fills vectors with all foreign units and their positions. */
    void foreign_units(std::vector<ForeignId> &units, std::vector<Pos> &positions) const {
        detail::fill(units, [&](ForeignId *ids, std::size_t capacity, std::size_t *count) {
            positions.resize(capacity);
            return throng_world_foreign_units(id(), ids, positions.data(), capacity, count);
        });
        positions.resize(units.size());
    }
    /* One ThrongTerrain per cell of the world's own map, as it is now. */
    std::vector<std::uint8_t> terrain() const {
        std::vector<std::uint8_t> terrain;
        detail::fill(terrain, [&](std::uint8_t *cells, std::size_t capacity, std::size_t *count) {
            return throng_world_terrain(id(), cells, capacity, count);
        });
        return terrain;
    }
    /* 1 for each cell on which an agent of a profile can stand, as the map is now. */
    std::vector<std::uint8_t> walkable(std::uint32_t profile = 0) const {
        std::vector<std::uint8_t> walkable;
        detail::fill(walkable, [&](std::uint8_t *cells, std::size_t capacity, std::size_t *count) {
            return throng_world_walkable(id(), profile, cells, capacity, count);
        });
        return walkable;
    }
    void motions(std::vector<ThrongMotion> &motions) const {
        detail::fill(motions, [&](ThrongMotion *all, std::size_t capacity, std::size_t *count) {
            return throng_world_motions(id(), all, capacity, count);
        });
    }
    Pos position(AgentId agent) const {
        Pos at;
        check(throng_world_positions(id(), &agent, 1, &at, nullptr));
        return at;
    }
    /* Fills a vector with the positions of agents; (-1, -1) for one that does not exist. */
    std::vector<Status> positions(Span<AgentId> agents, std::vector<Pos> &positions) const {
        return batch_query(throng_world_positions, agents, positions);
    }
    /* Fills a vector with all about each agent. */
    std::vector<Status> agent_infos(Span<AgentId> agents, std::vector<ThrongAgentInfo> &infos) const {
        return batch_query(throng_world_agent_infos, agents, infos);
    }
    /* Fills a vector with the cell that each agent enters next. */
    std::vector<Status> next_cells(Span<AgentId> agents, std::vector<ThrongNextCell> &cells) const {
        return batch_query(throng_world_next_cells, agents, cells);
    }
    ThrongAgentInfo agent_info(AgentId agent) const {
        ThrongAgentInfo info;
        check(throng_world_agent_infos(id(), &agent, 1, &info, nullptr));
        return info;
    }
    std::optional<Pos> next_cell(AgentId agent) const {
        ThrongNextCell next;
        check(throng_world_next_cells(id(), &agent, 1, &next, nullptr));
        return next.is_known ? std::optional<Pos>(next.at) : std::nullopt;
    }
    /* Returns the remaining path, at most `limit` cells of it. */
    std::vector<ThrongPathCell> path(AgentId agent, std::size_t limit) const {
        std::vector<ThrongPathCell> cells(limit);
        std::size_t count = 0;
        check(throng_world_path(id(), agent, cells.data(), limit, &count));
        cells.resize(count);
        return cells;
    }
    ThrongRemaining remaining(AgentId agent) const {
        ThrongRemaining remaining;
        check(throng_world_remaining(id(), agent, &remaining));
        return remaining;
    }
    /* Returns what an agent does after its present goal, and its waypoints or the points of its patrol. */
    std::pair<ThrongOrders, std::vector<Pos>> orders(AgentId agent) const {
        std::pair<ThrongOrders, std::vector<Pos>> found;
        detail::fill(found.second, [&](Pos *points, std::size_t capacity, std::size_t *count) {
            return throng_world_orders(id(), agent, &found.first, points, capacity, count);
        });
        return found;
    }
    std::vector<AgentId> agents_near(Pos at, std::uint32_t radius) const {
        std::vector<AgentId> agents;
        detail::fill(agents, [&](AgentId *ids, std::size_t capacity, std::size_t *count) {
            return throng_world_agents_near(id(), at.x, at.y, radius, ids, capacity, count);
        });
        return agents;
    }
    ThrongUnit occupant(Pos at) const {
        ThrongUnit unit;
        check(throng_world_occupant(id(), at.x, at.y, &unit));
        return unit;
    }
    bool reachable(std::uint32_t profile, Pos from, Pos to) const {
        std::uint32_t found = 0;
        check(throng_world_reachable(id(), profile, from.x, from.y, to.x, to.y, &found));
        return found != 0;
    }
    bool line_of_sight(std::uint32_t profile, Pos from, Pos to) const {
        std::uint32_t found = 0;
        check(throng_world_line_of_sight(id(), profile, from.x, from.y, to.x, to.y, &found));
        return found != 0;
    }

    std::vector<std::uint8_t> snapshot() const {
        ThrongBytes bytes = 0;
        check(throng_world_snapshot(id(), &bytes));
        return detail::take(bytes);
    }
    void start_recording() { check(throng_world_start_recording(id())); }
    std::vector<std::uint8_t> drain_recording() {
        ThrongBytes bytes = 0;
        check(throng_world_drain_recording(id(), &bytes));
        return detail::take(bytes);
    }
    std::vector<std::uint8_t> finish_recording() {
        ThrongBytes bytes = 0;
        check(throng_world_finish_recording(id(), &bytes));
        return detail::take(bytes);
    }
    ThrongWorld handle() const noexcept { return handle_.get(); }

private:
    explicit World(ThrongWorld world) : handle_(world) {}
    ThrongWorld id() const noexcept { return handle_.get(); }
    template <typename T, typename Call, typename... Arguments>
    std::vector<Status> batch(Call call, Span<T> entries, Arguments... arguments) {
        std::vector<Status> results(entries.size());
        Status status = call(id(), entries.data(), entries.size(), arguments..., results.data());
        return check_batch(status, std::move(results));
    }
    template <typename T, typename Call>
    std::vector<Status> batch_query(Call call, Span<AgentId> agents, std::vector<T> &found) const {
        found.resize(agents.size());
        std::vector<Status> results(agents.size());
        Status status = call(id(), agents.data(), agents.size(), found.data(), results.data());
        return check_batch(status, std::move(results));
    }
    std::uint64_t edit(std::uint32_t kind, const Area &area, std::uint32_t value, std::uint32_t extra) {
        ThrongEdit edit{kind, area.shape, area.a, area.b, area.radius, value, extra};
        std::uint64_t changed = 0;
        check(throng_world_edit(id(), &edit, 1, &changed, nullptr));
        return changed;
    }
    detail::Handle<throng_world_free> handle_;
};

/* Checks a recording with an implementation of the rules of its own. */
inline ThrongCheck check_recording(Span<std::uint8_t> recording) {
    ThrongCheck found;
    check(throng_recording_check(recording.data(), recording.size(), &found));
    return found;
}

} // namespace throng

#endif
