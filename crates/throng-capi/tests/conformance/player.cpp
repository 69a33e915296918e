// Plays the conformance scenes through throng.hpp, and compares the state hashes and counts with those of the table.
// crates/throng/conformance/README.md explains the lines.
//
//     player SCENES
#include <array>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "throng.hpp"

namespace {

using throng::Area;
using throng::Pos;
using throng::Status;
using Words = std::vector<std::string>;

std::int32_t number(const std::string &word) { return std::int32_t(std::stol(word)); }
std::uint32_t natural(const std::string &word) { return std::uint32_t(std::stoul(word)); }

bool all_ok(const std::vector<Status> &results) {
    for (Status status : results)
        if (status != THRONG_STATUS_OK)
            return false;
    return true;
}

class Game {
public:
    unsigned arrived = 0, refused = 0;

    bool has_world() const { return world_ != nullptr; }
    std::uint64_t state_hash() const { return world_->state_hash(); }

    // Carries out a line before the map.
    void set_up(const Words &word) {
        const std::map<std::string, std::uint32_t *> numbers{
            {"corners", &rules_.corners},           {"crossings", &settings_.crossings},
            {"sharing", &settings_.sharing},        {"step-time", &settings_.step_time},
            {"stuck-after", &settings_.stuck_after}};
        if (word[0] == "planner") {
            planner_ = word[1];
        } else if (word[0] == "seed") {
            settings_.seed = std::stoull(word[1]);
        } else if (word[0] == "four-way") {
            rules_.four_way = number(word[1]) != 0;
        } else if (word[0] == "fog") {
            settings_.fog_radius = natural(word[1]);
            settings_.fog_shared = natural(word[2]);
        } else if (word[0] == "profile") {
            ThrongProfile profile{};
            for (std::size_t i = 0; i < 7; i++)
                profile.halves[i] = std::uint8_t(number(word[1 + i]));
            profile.passage_class = std::uint8_t(number(word[8]));
            profiles_.push_back(profile);
        } else {
            *numbers.at(word[0]) = natural(word[1]);
        }
    }

    void builtin(const std::string &name) { create(throng::Map::builtin(name, rules_)); }

    void picture(const std::vector<std::string> &rows) {
        std::vector<std::uint8_t> terrain;
        std::map<char, Pos> starts, goals;
        for (std::size_t y = 0; y < rows.size(); y++) {
            for (std::size_t x = 0; x < rows[y].size(); x++) {
                const char c = rows[y][x];
                terrain.push_back(c == '#' ? THRONG_TERRAIN_WALL : THRONG_TERRAIN_GROUND);
                const Pos at{std::int32_t(x), std::int32_t(y)};
                if (c >= 'a' && c <= 'z')
                    starts[c] = at;
                else if (c >= 'A' && c <= 'Z')
                    goals[char(c - 'A' + 'a')] = at;
            }
        }
        create(throng::Map::create(std::uint32_t(rows[0].size()), std::uint32_t(rows.size()), terrain, rules_));
        for (const auto &[letter, at] : starts) {
            agents_.push_back(world_->spawn(throng::agent_at(at.x, at.y)).value());
            if (goals.count(letter) > 0)
                orders_.push_back({agents_.back(), goals[letter]});
        }
    }

    // Carries out a line after the map.
    void carry_out(const Words &word) {
        bool is_done = false;
        try {
            is_done = units(word) || edits(word) || saves(word) || orders(word);
        } catch (const throng::Error &) {
            // Refused as a whole.
        }
        refused += !is_done || !accepted_;
    }

private:
    // Each of the next functions returns false for a word of another one. `accepted_` is false if the world refuses the line.
    bool units(const Words &word) {
        accepted_ = true;
        if (word[0] == "spawn") {
            ThrongAgentSpec spec = throng::agent_at(number(word[1]), number(word[2]));
            spec.profile = natural(word[3]);
            spec.steps = natural(word[4]);
            spec.ticks = natural(word[5]);
            accepted_ = spawn(spec);
        } else if (word[0] == "crowd") {
            crowd(std::size_t(number(word[1])), std::stoull(word[2]));
        } else if (word[0] == "foreign") {
            const std::optional<throng::ForeignId> unit = world_->place_foreign({number(word[1]), number(word[2])});
            accepted_ = unit.has_value();
            if (unit)
                foreign_.push_back(*unit);
        } else if (word[0] == "move-foreign") {
            accept(world_->move_foreign(foreign_[natural(word[1])], {number(word[2]), number(word[3])}));
        } else if (word[0] == "remove-foreign") {
            accept(world_->remove_foreign(foreign_[natural(word[1])]));
        } else if (word[0] == "despawn") {
            accept(world_->despawn(agents_[natural(word[1])])[0]);
        } else {
            return false;
        }
        return true;
    }

    bool edits(const Words &word) {
        if (word.size() < 4)
            return false;
        const auto rectangle = [&] {
            return Area::rectangle({number(word[1]), number(word[2])}, {number(word[3]), number(word[4])});
        };
        const auto disc = [&] { return Area::disc({number(word[1]), number(word[2])}, number(word[3])); };
        const auto classes = [&] { return std::uint32_t(std::stoul(word[5], nullptr, 16)); };
        if (word[0] == "block")
            world_->block(rectangle());
        else if (word[0] == "unblock")
            world_->unblock(rectangle());
        else if (word[0] == "block-disc")
            world_->block(disc());
        else if (word[0] == "unblock-disc")
            world_->unblock(disc());
        else if (word[0] == "terrain")
            world_->set_terrain(rectangle(), natural(word[5]));
        else if (word[0] == "door")
            world_->set_door(rectangle(), classes());
        else if (word[0] == "cost")
            world_->set_cost(rectangle(), classes(), natural(word[6]));
        else
            return false;
        return true;
    }

    bool saves(const Words &word) {
        if (word[0] == "snapshot")
            *world_ = throng::World::restore(world_->snapshot());
        else if (word[0] == "clone")
            *world_ = world_->clone();
        else if (word[0] == "tick")
            tick(number(word[1]), word[2], std::stoull(word[3]));
        else
            return false;
        return true;
    }

    bool orders(const Words &word) {
        if (word[0] == "go") {
            for (std::size_t i = 0; i < orders_.size() && accepted_; i++)
                accept(world_->send(orders_[i])[0]);
            return true;
        }
        if (word[0] == "group") {
            std::vector<throng::AgentId> members;
            for (std::size_t i = 3; i < word.size(); i++)
                members.push_back(agents_[natural(word[i])]);
            world_->send_group(members, {number(word[1]), number(word[2])});
            return true;
        }
        const throng::AgentId agent = agents_[natural(word[1])];
        const std::int32_t a = word.size() > 2 ? number(word[2]) : 0, b = word.size() > 3 ? number(word[3]) : 0;
        const ThrongOrder to{agent, {a, b}};
        if (word[0] == "send")
            accept(world_->send(agent, {a, b}));
        else if (word[0] == "queue")
            accept(world_->queue(to)[0]);
        else if (word[0] == "teleport")
            accept(world_->teleport(to)[0]);
        else if (word[0] == "extend-patrol")
            accept(world_->extend_patrol(agent, {a, b}));
        else if (word[0] == "patrol")
            accept(world_->patrol(agent, points(word)));
        else if (word[0] == "follow-agent")
            accept(world_->follow_agent(agent, agents_[std::size_t(a)], std::uint32_t(b)));
        else if (word[0] == "follow-foreign")
            accept(world_->follow_foreign(agent, foreign_[std::size_t(a)], std::uint32_t(b)));
        else if (word[0] == "halt")
            accept(world_->halt(agent)[0]);
        else if (word[0] == "hold")
            accept(world_->hold(agent, a != 0)[0]);
        else if (word[0] == "control")
            accept(world_->control(agent, a != 0)[0]);
        else if (word[0] == "priority")
            accept(world_->set_priority(agent, a)[0]);
        else if (word[0] == "speed")
            accept(world_->set_speed(agent, std::uint32_t(a), std::uint32_t(b))[0]);
        else if (word[0] == "profile-of")
            accept(world_->set_profile(agent, std::uint32_t(a))[0]);
        else
            throw std::runtime_error("unknown line " + word[0]);
        return true;
    }

    static std::vector<Pos> points(const Words &word) {
        std::vector<Pos> points;
        for (std::size_t i = 2; i + 1 < word.size(); i += 2)
            points.push_back({number(word[i]), number(word[i + 1])});
        return points;
    }

    void create(throng::Map map) {
        for (const ThrongProfile &profile : profiles_)
            map.add_profile(profile);
        world_ = std::make_unique<throng::World>(map, planner_, settings_);
    }

    void accept(Status status) { accepted_ = status == THRONG_STATUS_OK; }

    bool spawn(const ThrongAgentSpec &spec) {
        const std::optional<throng::AgentId> agent = world_->spawn(spec);
        if (agent)
            agents_.push_back(*agent);
        return agent.has_value();
    }

    void crowd(std::size_t count, std::uint64_t seed) {
        const ThrongWorldInfo info = world_->info();
        const auto below = [&seed](std::uint32_t end) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            return std::int32_t((seed >> 33) % end);
        };
        const auto position = [&] {
            const std::int32_t x = below(info.width);
            return Pos{x, below(info.height)};
        };
        const std::size_t first = agents_.size();
        while (agents_.size() < first + count) {
            const Pos at = position();
            spawn(throng::agent_at(at.x, at.y));
        }
        std::vector<ThrongOrder> orders;
        for (std::size_t i = first; i < agents_.size(); i++)
            orders.push_back({agents_[i], position()});
        accepted_ = all_ok(world_->send(orders));
    }

    void tick(std::int32_t count, const std::string &kind, std::uint64_t amount) {
        const std::map<std::string, std::uint32_t> budgets{{"unlimited", THRONG_BUDGET_UNLIMITED},
                                                           {"units", THRONG_BUDGET_UNITS},
                                                           {"expansions", THRONG_BUDGET_EXPANSIONS},
                                                           {"rounds", THRONG_BUDGET_ROUNDS}};
        for (std::int32_t i = 0; i < count; i++) {
            world_->tick(budgets.at(kind), amount);
            world_->events(events_);
            for (const ThrongEvent &event : events_)
                arrived += event.kind == THRONG_EVENT_KIND_ARRIVED;
        }
    }

    std::string planner_ = "surge";
    throng::MoveRules rules_;
    ThrongSettings settings_ = throng::default_settings();
    std::vector<ThrongProfile> profiles_;
    std::unique_ptr<throng::World> world_;
    std::vector<throng::AgentId> agents_;
    std::vector<throng::ForeignId> foreign_;
    std::vector<ThrongOrder> orders_;
    std::vector<ThrongEvent> events_;
    bool accepted_ = true;
};

// The table, and what differs from it.
struct Play {
    unsigned scenes = 0, hashes = 0, differences = 0, line_number = 0;
    std::string scene;
    std::unique_ptr<Game> game;

    void compare(const char *what, std::uint64_t expected, std::uint64_t found) {
        if (expected == found)
            return;
        std::fprintf(stderr, "scene %s, line %u: %s is %" PRIx64 ", expected %" PRIx64 "\n", scene.c_str(), line_number,
                     what, found, expected);
        differences++;
    }

    void line(const Words &word, std::istream &table) {
        if (word[0] == "scene") {
            scene = word[1];
            game = std::make_unique<Game>();
            scenes++;
        } else if (word[0] == "map") {
            std::vector<std::string> rows;
            for (std::string row; std::getline(table, row) && row != "end"; line_number++)
                rows.push_back(row);
            line_number++;
            game->picture(rows);
        } else if (word[0] == "builtin") {
            game->builtin(word[1]);
        } else if (word[0] == "hash") {
            compare("the state hash", std::stoull(word[1], nullptr, 16), game->state_hash());
            hashes++;
        } else if (word[0] == "arrived") {
            compare("the number of arrivals", std::stoull(word[1]), game->arrived);
        } else if (word[0] == "refused") {
            compare("the number of refusals", std::stoull(word[1]), game->refused);
        } else if (!game->has_world()) {
            game->set_up(word);
        } else {
            game->carry_out(word);
        }
    }
};

} // namespace

int main(int argc, char **argv) {
    std::ifstream table(argc == 2 ? argv[1] : "");
    if (!table) {
        std::fprintf(stderr, "usage: player SCENES\n");
        return 2;
    }
    Play play;
    try {
        for (std::string text; std::getline(table, text);) {
            play.line_number++;
            std::istringstream stream(text);
            const Words word{std::istream_iterator<std::string>(stream), {}};
            if (!word.empty() && word[0].compare(0, 2, "//") != 0)
                play.line(word, table);
        }
    } catch (const std::exception &error) {
        std::fprintf(stderr, "scene %s, line %u: %s\n", play.scene.c_str(), play.line_number, error.what());
        return 2;
    }
    std::printf("C++: %u scenes, %u hashes, %u differences\n", play.scenes, play.hashes, play.differences);
    return play.differences == 0 && play.scenes >= 15 && play.hashes >= 30 ? 0 : 1;
}
