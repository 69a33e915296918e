// The game of escort.c in C#. In Unity, the body of the loop is FixedUpdate of a MonoBehaviour.

using System;
using System.Collections.Generic;
using Throng;
using Throng.Native;

static class Escort
{
    const int GuardCount = 40, Ticks = 200, SaveAt = 60;

    static World Create()
    {
        var settings = World.DefaultSettings();
        settings.Seed = 7;
        using (var map = Map.Builtin("rooms"))
            return new World(map, "surge", settings);
    }

    static ulong[] SpawnGuards(World world)
    {
        var specs = new ThrongAgentSpec[GuardCount * 4];
        for (var i = 0; i < specs.Length; i++)
            specs[i].At = new ThrongPos { X = 1 + i % 16, Y = 1 + i / 16 };
        // A batch: cells that are walls are refused, the others are carried out.
        var spawned = new ulong[specs.Length];
        world.Spawn(specs, spawned);
        var guards = new List<ulong>();
        foreach (var agent in spawned)
        {
            if (agent == Library.NoId)
                continue;
            if (guards.Count < GuardCount)
                guards.Add(agent);
            else
                world.Despawn(new[] { agent });
        }
        return guards.ToArray();
    }

    static int Main()
    {
        Info.CheckAbiVersion();
        var world = Create();
        var info = world.Info();
        var guards = SpawnGuards(world);
        int goalX = (int)info.Width / 2, goalY = (int)info.Height / 2;
        world.SendGroup(guards, goalX, goalY);

        var gate = Area.Disc(goalX, goalY, 3);
        var events = new ThrongEvent[4 * GuardCount];
        var arrived = 0;
        for (var tick = 1; tick <= Ticks; tick++)
        {
            if (tick == 20)
                world.Block(gate);
            if (tick == 80)
                world.Unblock(gate);
            if (tick == 81)
                world.SendGroup(guards, goalX, goalY);
            if (tick == SaveAt)
            {
                var bytes = world.Snapshot();
                world.Dispose();
                world = World.Restore(bytes);
            }
            world.Tick(ThrongBudget.Units, 20000);
            var count = world.Events(ref events);
            for (var i = 0; i < count; i++)
            {
                if (events[i].Kind == (uint)ThrongEventKind.Arrived)
                    arrived++;
                if (events[i].Kind == (uint)ThrongEventKind.GroupArrived)
                    Console.WriteLine("tick {0}: the group has arrived, {1} short of the goal", tick, events[i].Number);
            }
        }
        Console.WriteLine("{0} guards, {1} arrivals, state {2:x16}", guards.Length, arrived, world.StateHash());
        world.Dispose();

        // A failure is an exception with the status and the message of the library.
        try
        {
            using (var map = Map.Builtin("rooms"))
                new World(map, "sruge").Dispose();
            return 1;
        }
        catch (ThrongException error)
        {
            if (error.Status != ThrongStatus.InvalidPlanner)
                return 1;
        }
        return guards.Length == GuardCount && arrived >= GuardCount ? 0 : 1;
    }
}
