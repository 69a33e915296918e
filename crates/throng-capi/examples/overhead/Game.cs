// The game of main.rs through the C# binding. Prints the seconds of its ticks and its state hash.

using System;
using System.Diagnostics;
using System.Globalization;
using Throng;
using Throng.Native;

static class Game
{
    const int Side = 256, AgentCount = 2000, Budget = 20000, WarmUp = 50, TickCount = 400;

    static ulong state = 17;

    static int Below(uint end)
    {
        state = unchecked(state * 6364136223846793005 + 1442695040888963407);
        return (int)((state >> 33) % end);
    }

    static ThrongPos RandomPos()
    {
        ThrongPos pos;
        pos.X = Below(Side);
        pos.Y = Below(Side);
        return pos;
    }

    static void Main()
    {
        var settings = World.DefaultSettings();
        settings.Seed = 1;
        World world;
        using (var map = Map.Generate("random", Side, Side, 3))
            world = new World(map, "surge", settings);
        var agents = new ulong[AgentCount];
        var positions = new ThrongPos[AgentCount];
        var motions = new ThrongMotion[AgentCount];
        var events = new ThrongEvent[8 * AgentCount];
        var orders = new ThrongOrder[8 * AgentCount];
        for (var i = 0; i < AgentCount;)
        {
            var at = RandomPos();
            agents[i] = world.Spawn(at.X, at.Y);
            if (agents[i] != Library.NoId)
                i++;
        }
        for (var i = 0; i < AgentCount; i++)
        {
            orders[i].Unit = agents[i];
            orders[i].To = RandomPos();
        }
        world.Send(orders, AgentCount);
        var clock = Stopwatch.StartNew();
        long sum = 0;
        for (var tick = 0; tick < WarmUp + TickCount; tick++)
        {
            if (tick == WarmUp)
                clock.Restart();
            world.Tick(ThrongBudget.Units, Budget);
            var eventCount = world.Events(ref events);
            var count = world.Agents(ref agents, ref positions);
            world.Motions(ref motions);
            for (var i = 0; i < count; i++)
                sum += positions[i].X + motions[i].From.Y;
            var orderCount = 0;
            for (var i = 0; i < eventCount; i++)
            {
                if (events[i].Kind == (uint)ThrongEventKind.Arrived)
                {
                    orders[orderCount].Unit = events[i].Agent;
                    orders[orderCount++].To = RandomPos();
                }
            }
            world.Send(orders, orderCount);
        }
        var seconds = clock.Elapsed.TotalSeconds;
        var hash = world.StateHash() ^ unchecked((ulong)sum);
        Console.WriteLine(seconds.ToString("F9", CultureInfo.InvariantCulture) + " " + hash.ToString("x16"));
        world.Dispose();
    }
}
