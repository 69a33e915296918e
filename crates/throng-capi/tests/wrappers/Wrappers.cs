// Tests of the C# binding: what the samples and the conformance scenes do not use. Ends with 1 if a check fails.

using System;
using System.Linq;
using Throng;
using Throng.Native;

static class Wrappers
{
    static int failures;

    static void Require(bool holds, string what)
    {
        if (holds)
            return;
        Console.WriteLine("failed: " + what);
        failures++;
    }

    static bool Is(ThrongPos at, int x, int y)
    {
        return at.X == x && at.Y == y;
    }

    static World OpenGround(int width, int height)
    {
        using (var map = Map.Create(width, height, new byte[width * height]))
            return new World(map);
    }

    // A restored game draws the map as it was when it was saved.
    static void MapOfRestoredWorld()
    {
        using (var world = OpenGround(4, 2))
        {
            world.SetTerrain(Area.Cell(1, 0), ThrongTerrain.Water);
            world.Block(Area.Cell(2, 1));
            using (var restored = World.Restore(world.Snapshot()))
            {
                Require(restored.Terrain().SequenceEqual(new byte[] { 0, 3, 0, 0, 0, 0, 0, 0 }), "terrain");
                Require(restored.Walkable().SequenceEqual(new byte[] { 1, 0, 1, 1, 1, 1, 0, 1 }), "walkable");
                try
                {
                    restored.Walkable(9);
                    Require(false, "a profile that does not exist");
                }
                catch (ThrongException error)
                {
                    Require(error.Status == ThrongStatus.NoSuchProfile, "status of an unknown profile");
                    Require(Info.StatusName(error.Status) == "THRONG_STATUS_NO_SUCH_PROFILE", "name of a status");
                }
            }
        }
    }

    static void Batches()
    {
        using (var world = OpenGround(8, 1))
        {
            var agent = world.Spawn(0, 0);
            var other = world.Spawn(7, 0);
            var results = new ThrongStatus[3];
            var units = new ulong[3];
            var places = new[] { new ThrongPos { X = 5 }, new ThrongPos(), new ThrongPos { X = 6 } };
            Require(!world.PlaceForeign(places, units, results), "an occupied cell is refused");
            Require(results[1] == ThrongStatus.Occupied && units[1] == Library.NoId, "which is refused");
            var moves = new[]
            {
                new ThrongOrder { Unit = units[0], To = new ThrongPos { X = 4 } },
                new ThrongOrder { Unit = units[2], To = new ThrongPos() },
            };
            Require(!world.MoveForeign(moves, 2, results) && results[0] == ThrongStatus.Ok, "moves of foreign units");
            units = new ulong[0];
            Require(world.ForeignUnits(ref units, ref places) == 2, "number of foreign units");
            Require(Is(places[0], 4, 0) && Is(places[1], 6, 0), "positions of foreign units");

            world.Send(agent, 3, 0);
            world.Tick(ThrongBudget.Units, 20000);
            var asked = new[] { agent, agent + 7 };
            Require(!world.Positions(asked, places, results), "an unknown agent is refused");
            Require(results[1] == ThrongStatus.NoSuchAgent && Is(places[0], 1, 0) && Is(places[1], -1, -1), "positions");
            var infos = new ThrongAgentInfo[2];
            world.AgentInfos(asked, infos);
            Require(infos[0].State == (uint)ThrongState.Moving && infos[1].State == (uint)ThrongState.Unknown, "infos");
            var next = new ThrongNextCell[2];
            world.NextCells(asked, next);
            Require(next[0].IsKnown == 1 && Is(next[0].At, 2, 0) && next[1].IsKnown == 0, "next cells");
            moves = new[] { new ThrongOrder { Unit = other, To = new ThrongPos { X = 2 } } };
            Require(world.Teleport(moves, 1) && Is(world.Position(other), 2, 0), "teleport");
        }
    }

    static void Orders()
    {
        using (var world = OpenGround(8, 1))
        {
            var agent = world.Spawn(0, 0);
            var other = world.Spawn(7, 0);
            ThrongPos[] points;
            Require(world.Orders(agent, out points).Kind == (uint)ThrongOrdersKind.None, "no orders");
            world.Send(agent, 2, 0);
            var waypoints = new[]
            {
                new ThrongOrder { Unit = agent, To = new ThrongPos { X = 4 } },
                new ThrongOrder { Unit = agent, To = new ThrongPos { X = 5 } },
            };
            Require(world.Queue(waypoints, 2), "waypoints");
            Require(world.Orders(agent, out points).Kind == (uint)ThrongOrdersKind.Queue, "a queue");
            Require(points.Length == 2 && Is(points[1], 5, 0), "the waypoints of a queue");
            world.Patrol(agent, new ThrongPos { X = 1 }, new ThrongPos { X = 3 });
            Require(world.Orders(agent, out points).Kind == (uint)ThrongOrdersKind.Patrol && points.Length == 2, "a patrol");
            world.FollowAgent(agent, other, 3);
            var follow = world.Orders(agent, out points);
            Require(follow.Kind == (uint)ThrongOrdersKind.Follow && follow.Unit.Id == other && follow.Distance == 3, "follow");
        }
    }

    static int Main()
    {
        Info.CheckAbiVersion();
        MapOfRestoredWorld();
        Batches();
        Orders();
        return failures == 0 ? 0 : 1;
    }
}
