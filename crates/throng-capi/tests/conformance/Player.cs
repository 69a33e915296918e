// Plays the conformance scenes through the C# binding, and compares the state hashes and counts with those of the table.
// crates/throng/conformance/README.md explains the lines.
//
//     mono Player.exe SCENES

using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using Throng;
using Throng.Native;

/// <summary>The world refuses a line.</summary>
class Refused : Exception
{
}

class Game
{
    readonly Dictionary<string, string[]> setUp = new Dictionary<string, string[]>();
    readonly List<string[]> profiles = new List<string[]>();
    readonly List<ulong> agents = new List<ulong>();
    readonly List<ulong> foreign = new List<ulong>();
    readonly List<KeyValuePair<int, ThrongPos>> goals = new List<KeyValuePair<int, ThrongPos>>();
    ThrongEvent[] events = new ThrongEvent[16];

    public World World;
    public ulong ArrivedCount, RefusedCount;

    public void SetUp(string[] words)
    {
        if (words[0] == "profile")
            profiles.Add(words);
        else
            setUp[words[0]] = words;
    }

    string Value(string key, int place, string usual)
    {
        string[] words;
        return setUp.TryGetValue(key, out words) ? words[place] : usual;
    }

    uint Value(string key, int place)
    {
        return uint.Parse(Value(key, place, "0"));
    }

    ThrongCorners Corners
    {
        get { return (ThrongCorners)Value("corners", 1); }
    }

    bool FourWay
    {
        get { return Value("four-way", 1) == 1; }
    }

    public void CreateBuiltin(string name)
    {
        Create(Map.Builtin(name, Corners, FourWay));
    }

    void Create(Map map)
    {
        foreach (var words in profiles)
            map.AddProfile(words.Skip(1).Take(7).Select(byte.Parse).ToArray(), byte.Parse(words[8]));
        var settings = World.DefaultSettings();
        settings.Seed = ulong.Parse(Value("seed", 1, "0"));
        settings.Crossings = Value("crossings", 1);
        settings.Sharing = uint.Parse(Value("sharing", 1, settings.Sharing.ToString()));
        settings.StepTime = Value("step-time", 1);
        settings.StuckAfter = uint.Parse(Value("stuck-after", 1, settings.StuckAfter.ToString()));
        settings.FogRadius = Value("fog", 1);
        settings.FogShared = Value("fog", 2);
        World = new World(map, Value("planner", 1, "surge"), settings);
        map.Dispose();
    }

    public void ReadPicture(List<string> rows)
    {
        int width = rows[0].Length, height = rows.Count;
        var terrain = new byte[width * height];
        var starts = new SortedDictionary<char, ThrongPos>();
        var ends = new Dictionary<char, ThrongPos>();
        for (var y = 0; y < height; y++)
        {
            for (var x = 0; x < width; x++)
            {
                var letter = rows[y][x];
                terrain[y * width + x] = (byte)(letter == '#' ? ThrongTerrain.Wall : ThrongTerrain.Ground);
                if (letter >= 'a' && letter <= 'z')
                    starts[letter] = Pos(x, y);
                else if (letter >= 'A' && letter <= 'Z')
                    ends[char.ToLowerInvariant(letter)] = Pos(x, y);
            }
        }
        Create(Map.Create(width, height, terrain, Corners, FourWay));
        foreach (var start in starts)
        {
            ThrongPos goal;
            if (ends.TryGetValue(start.Key, out goal))
                goals.Add(new KeyValuePair<int, ThrongPos>(agents.Count, goal));
            Spawn(start.Value.X, start.Value.Y, 0, 1, 1);
        }
    }

    void Spawn(int x, int y, uint profile, uint steps, uint ticks)
    {
        var spec = new ThrongAgentSpec { At = Pos(x, y), Profile = profile, Steps = steps, Ticks = ticks };
        var agent = new ulong[1];
        Require(World.Spawn(new[] { spec }, agent));
        agents.Add(agent[0]);
    }

    static ThrongPos Pos(int x, int y)
    {
        return new ThrongPos { X = x, Y = y };
    }

    static void Require(bool accepted)
    {
        if (!accepted)
            throw new Refused();
    }

    static void Require(ThrongStatus status)
    {
        Require(status == ThrongStatus.Ok);
    }

    public void CarryOut(string[] words)
    {
        try
        {
            switch (words[0])
            {
                case "go":
                    foreach (var goal in goals)
                        Require(World.Send(agents[goal.Key], goal.Value.X, goal.Value.Y));
                    break;
                case "tick":
                    Tick(int.Parse(words[1]), words[2], ulong.Parse(words[3]));
                    break;
                case "snapshot":
                    var bytes = World.Snapshot();
                    World.Dispose();
                    World = World.Restore(bytes);
                    break;
                case "clone":
                    var copy = World.Clone();
                    World.Dispose();
                    World = copy;
                    break;
                case "door":
                    World.SetDoor(Rectangle(words), Set(words[5]));
                    break;
                case "cost":
                    World.SetCost(Rectangle(words), Set(words[5]), uint.Parse(words[6]));
                    break;
                default:
                    Carry(words[0], words.Skip(1).Select(int.Parse).ToArray());
                    break;
            }
        }
        catch (Refused)
        {
            RefusedCount++;
        }
    }

    static Area Rectangle(string[] words)
    {
        return Area.Rectangle(int.Parse(words[1]), int.Parse(words[2]), int.Parse(words[3]), int.Parse(words[4]));
    }

    static uint Set(string word)
    {
        return uint.Parse(word, NumberStyles.HexNumber);
    }

    void Tick(int count, string kind, ulong amount)
    {
        var budget = (ThrongBudget)Enum.Parse(typeof(ThrongBudget), kind, true);
        for (var i = 0; i < count; i++)
        {
            World.Tick(budget, amount);
            var found = World.Events(ref events);
            for (var e = 0; e < found; e++)
            {
                if (events[e].Kind == (uint)ThrongEventKind.Arrived)
                    ArrivedCount++;
            }
        }
    }

    /// <summary>Carries out a line whose words are numbers.</summary>
    void Carry(string word, int[] n)
    {
        switch (word)
        {
            case "block":
                World.Block(Area.Rectangle(n[0], n[1], n[2], n[3]));
                return;
            case "unblock":
                World.Unblock(Area.Rectangle(n[0], n[1], n[2], n[3]));
                return;
            case "block-disc":
                World.Block(Area.Disc(n[0], n[1], n[2]));
                return;
            case "unblock-disc":
                World.Unblock(Area.Disc(n[0], n[1], n[2]));
                return;
            case "terrain":
                World.SetTerrain(Area.Rectangle(n[0], n[1], n[2], n[3]), (ThrongTerrain)n[4]);
                return;
            case "foreign":
                var unit = World.PlaceForeign(n[0], n[1]);
                Require(unit != Library.NoId);
                foreign.Add(unit);
                return;
            case "move-foreign":
                Require(World.MoveForeign(foreign[n[0]], n[1], n[2]));
                return;
            case "remove-foreign":
                Require(World.RemoveForeign(foreign[n[0]]));
                return;
            case "spawn":
                Spawn(n[0], n[1], (uint)n[2], (uint)n[3], (uint)n[4]);
                return;
            case "crowd":
                Crowd(n[0], (ulong)n[1]);
                return;
            case "group":
                World.SendGroup(n.Skip(2).Select(member => agents[member]).ToArray(), n[0], n[1]);
                return;
            default:
                Order(word, agents[n[0]], n);
                return;
        }
    }

    /// <summary>Carries out an order to one agent.</summary>
    void Order(string word, ulong agent, int[] n)
    {
        var one = new[] { agent };
        switch (word)
        {
            case "send":
                Require(World.Send(agent, n[1], n[2]));
                return;
            case "queue":
                Require(World.Queue(agent, n[1], n[2]));
                return;
            case "teleport":
                Require(World.Teleport(agent, n[1], n[2]));
                return;
            case "extend-patrol":
                Require(World.ExtendPatrol(agent, n[1], n[2]));
                return;
            case "patrol":
                var points = Enumerable.Range(0, n.Length / 2).Select(i => Pos(n[1 + 2 * i], n[2 + 2 * i]));
                Require(World.Patrol(agent, points.ToArray()));
                return;
            case "follow-agent":
                Require(World.FollowAgent(agent, agents[n[1]], (uint)n[2]));
                return;
            case "follow-foreign":
                Require(World.FollowForeign(agent, foreign[n[1]], (uint)n[2]));
                return;
            case "despawn":
                Require(World.Despawn(one));
                return;
            case "halt":
                Require(World.Halt(one));
                return;
            case "hold":
                Require(World.Hold(one, n[1] == 1));
                return;
            case "control":
                Require(World.Control(one, n[1] == 1));
                return;
            case "priority":
                Require(World.SetPriority(one, n[1]));
                return;
            case "speed":
                Require(World.SetSpeed(one, (uint)n[1], (uint)n[2]));
                return;
            case "profile-of":
                Require(World.SetProfile(one, (uint)n[1]));
                return;
            default:
                throw new FormatException("unknown line: " + word);
        }
    }

    void Crowd(int count, ulong seed)
    {
        var info = World.Info();
        Func<uint, int> below = end =>
        {
            seed = unchecked(seed * 6364136223846793005 + 1442695040888963407);
            return (int)((seed >> 33) % end);
        };
        var first = agents.Count;
        while (agents.Count < first + count)
        {
            var x = below(info.Width);
            var agent = World.Spawn(x, below(info.Height));
            if (agent != Library.NoId)
                agents.Add(agent);
        }
        var orders = new ThrongOrder[count];
        for (var i = 0; i < count; i++)
        {
            var x = below(info.Width);
            orders[i] = new ThrongOrder { Unit = agents[first + i], To = Pos(x, below(info.Height)) };
        }
        Require(World.Send(orders, count));
    }
}

static class Player
{
    static int Main(string[] arguments)
    {
        Info.CheckAbiVersion();
        var lines = new Queue<string>(File.ReadAllLines(arguments[0]));
        var game = new Game();
        var scene = "";
        int scenes = 0, hashes = 0, differences = 0;
        Action<string, ulong, ulong> compare = (what, expected, found) =>
        {
            if (expected == found)
                return;
            Console.Error.WriteLine("scene {0}: {1} is {2:x}, expected {3:x}", scene, what, found, expected);
            differences++;
        };
        while (lines.Count > 0)
        {
            var words = lines.Dequeue().Split(new[] { ' ' }, StringSplitOptions.RemoveEmptyEntries);
            if (words.Length == 0 || words[0].StartsWith("//"))
                continue;
            switch (words[0])
            {
                case "scene":
                    if (game.World != null)
                        game.World.Dispose();
                    game = new Game();
                    scene = words[1];
                    scenes++;
                    break;
                case "map":
                    var rows = new List<string>();
                    for (var row = lines.Dequeue(); row != "end"; row = lines.Dequeue())
                        rows.Add(row);
                    game.ReadPicture(rows);
                    break;
                case "builtin":
                    game.CreateBuiltin(words[1]);
                    break;
                case "hash":
                    compare("the state hash", ulong.Parse(words[1], NumberStyles.HexNumber), game.World.StateHash());
                    hashes++;
                    break;
                case "arrived":
                    compare("the number of arrivals", ulong.Parse(words[1]), game.ArrivedCount);
                    break;
                case "refused":
                    compare("the number of refusals", ulong.Parse(words[1]), game.RefusedCount);
                    break;
                default:
                    if (game.World == null)
                        game.SetUp(words);
                    else
                        game.CarryOut(words);
                    break;
            }
        }
        Console.WriteLine("C#: {0} scenes, {1} hashes, {2} differences", scenes, hashes, differences);
        return differences == 0 && scenes >= 15 && hashes >= 30 ? 0 : 1;
    }
}
