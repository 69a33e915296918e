// throng for C#: maps and worlds as objects that free themselves. Works with .NET, Mono and Unity (C# 7, P/Invoke).
//
// A call that fails throws a ThrongException, which has the status and the message. Entries of a batch that the world refuses
// do not throw: they are normal in a game. Each batch takes an optional array for one ThrongStatus per entry, and
// returns true if none was refused; orders to one agent return their status. Queries fill arrays that the caller keeps and
// that grow when they must, so that a tick makes no garbage.
//
// Threads: queries of one world may run on several threads at the same time; any other overlap throws with the status Busy.

using System;
using System.Runtime.InteropServices;
using System.Text;
using Throng.Native;

namespace Throng
{
    /// <summary>A call that failed.</summary>
    public sealed class ThrongException : Exception
    {
        public ThrongStatus Status { get; }

        public ThrongException(ThrongStatus status, string message) : base(message)
        {
            Status = status;
        }

        /// <summary>Throws unless the status is Ok.</summary>
        public static void Check(ThrongStatus status)
        {
            if (status != ThrongStatus.Ok)
                throw new ThrongException(status, LastError());
        }

        static string LastError()
        {
            return Text.Read((byte[] text, UIntPtr capacity, out UIntPtr length) =>
                Library.throng_last_error(text, capacity, out length));
        }
    }

    /// <summary>Texts as the library has them: UTF-8 with a zero byte.</summary>
    static class Text
    {
        public delegate ThrongStatus Reader(byte[] text, UIntPtr capacity, out UIntPtr length);

        public static byte[] Bytes(string text)
        {
            return Encoding.UTF8.GetBytes(text + "\0");
        }

        public static string Read(Reader reader)
        {
            var text = new byte[128];
            UIntPtr length;
            var status = reader(text, (UIntPtr)text.Length, out length);
            while (status == ThrongStatus.BufferTooSmall)
            {
                text = new byte[(int)length + 1];
                status = reader(text, (UIntPtr)text.Length, out length);
            }
            if (status != ThrongStatus.Ok)
                throw new ThrongException(status, "the library returns no text");
            return Encoding.UTF8.GetString(text, 0, (int)length);
        }
    }

    /// <summary>Keeps an array where it is while the library uses it. Null has the address 0.</summary>
    struct Pin : IDisposable
    {
        GCHandle handle;

        public Pin(Array array)
        {
            handle = array == null ? default(GCHandle) : GCHandle.Alloc(array, GCHandleType.Pinned);
        }

        public IntPtr Address
        {
            get { return handle.IsAllocated ? handle.AddrOfPinnedObject() : IntPtr.Zero; }
        }

        public void Dispose()
        {
            if (handle.IsAllocated)
                handle.Free();
        }
    }

    /// <summary>About the library.</summary>
    public static class Info
    {
        public static string Version
        {
            get
            {
                return Text.Read((byte[] text, UIntPtr capacity, out UIntPtr length) =>
                    Library.throng_version(text, capacity, out length));
            }
        }

        /// <summary>The names of all planners.</summary>
        public static string[] Planners
        {
            get
            {
                return Text.Read((byte[] text, UIntPtr capacity, out UIntPtr length) =>
                    Library.throng_planner_names(text, capacity, out length)).Split('\n');
            }
        }

        /// <summary>The name of a status, as in `throng.h`.</summary>
        public static string StatusName(ThrongStatus status)
        {
            return Text.Read((byte[] text, UIntPtr capacity, out UIntPtr length) =>
                Library.throng_status_name((uint)status, text, capacity, out length));
        }

        /// <summary>Throws if the library that was loaded has another binary interface than this binding.</summary>
        public static void CheckAbiVersion()
        {
            uint version;
            ThrongException.Check(Library.throng_abi_version(out version));
            if (version != Library.AbiVersion)
                throw new ThrongException(ThrongStatus.Unsupported,
                    "the library has the binary interface " + version + ", this program needs " + Library.AbiVersion);
        }
    }

    /// <summary>Terrain, move rules and profiles.</summary>
    public sealed class Map : IDisposable
    {
        internal ulong Handle;

        Map(ThrongStatus status, ulong handle)
        {
            ThrongException.Check(status);
            Handle = handle;
        }

        /// <summary>Creates a map from one ThrongTerrain per cell, in row order.</summary>
        public static Map Create(int width, int height, byte[] terrain,
            ThrongCorners corners = ThrongCorners.Forbid, bool fourWay = false)
        {
            ulong map;
            var status = Library.throng_map_create((uint)width, (uint)height, terrain, (UIntPtr)terrain.Length,
                (uint)corners, fourWay ? 1u : 0u, out map);
            return new Map(status, map);
        }

        /// <summary>Creates a map from the content of a MovingAI file.</summary>
        public static Map Parse(byte[] file, ThrongCorners corners = ThrongCorners.Forbid, bool fourWay = false)
        {
            ulong map;
            var status = Library.throng_map_parse(file, (UIntPtr)file.Length, (uint)corners, fourWay ? 1u : 0u, out map);
            return new Map(status, map);
        }

        public static Map Builtin(string name, ThrongCorners corners = ThrongCorners.Forbid, bool fourWay = false)
        {
            ulong map;
            var status = Library.throng_map_builtin(Text.Bytes(name), (uint)corners, fourWay ? 1u : 0u, out map);
            return new Map(status, map);
        }

        public static Map Generate(string generator, int width, int height, ulong seed,
            ThrongCorners corners = ThrongCorners.Forbid, bool fourWay = false)
        {
            ulong map;
            var status = Library.throng_map_generate(Text.Bytes(generator), (uint)width, (uint)height, seed,
                (uint)corners, fourWay ? 1u : 0u, out map);
            return new Map(status, map);
        }

        /// <summary>Adds a profile and returns its number. `halves` has a cost per ThrongTerrain, 0 for one that is not
        /// entered.</summary>
        public uint AddProfile(byte[] halves, byte passageClass = 0)
        {
            if (halves.Length != 7)
                throw new ArgumentException("a profile has seven costs", "halves");
            var profile = new ThrongProfile
            {
                Halves0 = halves[0],
                Halves1 = halves[1],
                Halves2 = halves[2],
                Halves3 = halves[3],
                Halves4 = halves[4],
                Halves5 = halves[5],
                Halves6 = halves[6],
                PassageClass = passageClass,
            };
            uint number;
            ThrongException.Check(Library.throng_map_add_profile(Handle, ref profile, out number));
            return number;
        }

        public void Size(out int width, out int height)
        {
            uint columns, rows;
            ThrongException.Check(Library.throng_map_size(Handle, out columns, out rows));
            width = (int)columns;
            height = (int)rows;
        }

        public byte[] Terrain()
        {
            int width, height;
            Size(out width, out height);
            var terrain = new byte[width * height];
            UIntPtr count;
            ThrongException.Check(Library.throng_map_terrain(Handle, terrain, (UIntPtr)terrain.Length, out count));
            return terrain;
        }

        public void Dispose()
        {
            if (Handle != 0)
                Library.throng_map_free(Handle);
            Handle = 0;
            GC.SuppressFinalize(this);
        }

        ~Map()
        {
            if (Handle != 0)
                Library.throng_map_free(Handle);
        }
    }

    /// <summary>The cells of an edit.</summary>
    public struct Area
    {
        internal ThrongShape Shape;
        internal ThrongPos A, B;
        internal int Radius;

        public static Area Cell(int x, int y)
        {
            return Rectangle(x, y, x, y);
        }

        public static Area Rectangle(int x0, int y0, int x1, int y1)
        {
            return new Area
            {
                Shape = ThrongShape.Rectangle,
                A = new ThrongPos { X = x0, Y = y0 },
                B = new ThrongPos { X = x1, Y = y1 },
            };
        }

        public static Area Disc(int x, int y, int radius)
        {
            return new Area { Shape = ThrongShape.Disc, A = new ThrongPos { X = x, Y = y }, Radius = radius };
        }
    }

    /// <summary>A map with agents, and the planner that moves them.</summary>
    public sealed class World : IDisposable
    {
        ulong handle;

        World(ulong handle)
        {
            this.handle = handle;
        }

        public World(Map map, string planner = "surge") : this(map, planner, DefaultSettings())
        {
        }

        public World(Map map, string planner, ThrongSettings settings)
        {
            ThrongException.Check(
                Library.throng_world_create(map.Handle, Text.Bytes(planner), ref settings, out handle));
        }

        public static ThrongSettings DefaultSettings()
        {
            ThrongSettings settings;
            ThrongException.Check(Library.throng_settings_default(out settings));
            return settings;
        }

        /// <summary>Continues from a snapshot.</summary>
        public static World Restore(byte[] snapshot)
        {
            ulong world;
            ThrongException.Check(Library.throng_world_restore(snapshot, (UIntPtr)snapshot.Length, out world));
            return new World(world);
        }

        /// <summary>Returns a copy that continues exactly as this world does.</summary>
        public World Clone()
        {
            ulong copy;
            ThrongException.Check(Library.throng_world_clone(handle, out copy));
            return new World(copy);
        }

        /// <summary>Makes this world a copy of another one, and reuses its memory.</summary>
        public void CopyFrom(World source)
        {
            ThrongException.Check(Library.throng_world_copy_from(handle, source.handle));
        }

        public void SetThreads(int threads)
        {
            ThrongException.Check(Library.throng_world_set_threads(handle, (uint)threads));
        }

        public void Dispose()
        {
            if (handle != 0)
                Library.throng_world_free(handle);
            handle = 0;
            GC.SuppressFinalize(this);
        }

        ~World()
        {
            if (handle != 0)
                Library.throng_world_free(handle);
        }

        // The tick.

        public ThrongTickReport Tick(ThrongBudget budget, ulong amount)
        {
            ThrongTickReport report;
            ThrongException.Check(Library.throng_world_tick(handle, (uint)budget, amount, out report));
            return report;
        }

        /// <summary>Fills an array with the events of the last tick and returns their number.</summary>
        public int Events(ref ThrongEvent[] events)
        {
            UIntPtr count;
            var status = ReadEvents(events, out count);
            if (status == ThrongStatus.BufferTooSmall)
            {
                events = new ThrongEvent[2 * (int)count];
                status = ReadEvents(events, out count);
            }
            ThrongException.Check(status);
            return (int)count;
        }

        ThrongStatus ReadEvents(ThrongEvent[] events, out UIntPtr count)
        {
            using (var pin = new Pin(events))
                return Library.throng_world_events(handle, pin.Address, (UIntPtr)events.Length, out count);
        }

        public string Notice(uint number)
        {
            return Text.Read((byte[] text, UIntPtr capacity, out UIntPtr length) =>
                Library.throng_world_notice(handle, number, text, capacity, out length));
        }

        // Orders. `results` may be null.

        /// <summary>Puts an agent on the map and returns its id; Library.NoId if it is refused.</summary>
        public ulong Spawn(int x, int y, uint profile = 0, ulong user = 0)
        {
            var agent = new ulong[1];
            var spec = new ThrongAgentSpec { At = new ThrongPos { X = x, Y = y }, Profile = profile, User = user };
            Spawn(new[] { spec }, agent);
            return agent[0];
        }

        public bool Spawn(ThrongAgentSpec[] specs, ulong[] agents, ThrongStatus[] results = null)
        {
            Require(specs.Length, agents.Length, results);
            using (var pin = new Pin(specs))
                return Batch(specs.Length,
                    Library.throng_world_spawn(handle, pin.Address, (UIntPtr)specs.Length, agents, results));
        }

        public bool Despawn(ulong[] agents, ThrongStatus[] results = null)
        {
            Require(agents.Length, agents.Length, results);
            return Batch(agents.Length,
                Library.throng_world_despawn(handle, agents, (UIntPtr)agents.Length, results));
        }

        public ThrongStatus Send(ulong agent, int x, int y)
        {
            using (var pin = One(agent, x, y))
                return Library.throng_world_send(handle, pin.Address, (UIntPtr)1, IntPtr.Zero, null);
        }

        public bool Send(ThrongOrder[] orders, int count, ThrongDestination[] destinations = null, ThrongStatus[] results = null)
        {
            Require(count, orders.Length, results);
            if (destinations != null && destinations.Length < count)
                throw new ArgumentException("the array of destinations is too small");
            using (var pin = new Pin(orders))
            using (var found = new Pin(destinations))
                return Batch(count,
                    Library.throng_world_send(handle, pin.Address, (UIntPtr)count, found.Address, results));
        }

        /// <summary>Sends agents as a group and returns its id.</summary>
        public ulong SendGroup(ulong[] agents, int x, int y)
        {
            ulong group;
            ThrongException.Check(
                Library.throng_world_send_group(handle, agents, (UIntPtr)agents.Length, x, y, out group, IntPtr.Zero));
            return group;
        }

        public ThrongStatus Teleport(ulong agent, int x, int y)
        {
            using (var pin = One(agent, x, y))
                return Library.throng_world_teleport(handle, pin.Address, (UIntPtr)1, null);
        }

        public bool Teleport(ThrongOrder[] orders, int count, ThrongStatus[] results = null)
        {
            Require(count, orders.Length, results);
            using (var pin = new Pin(orders))
                return Batch(count,
                    Library.throng_world_teleport(handle, pin.Address, (UIntPtr)count, results));
        }

        public ThrongStatus Queue(ulong agent, int x, int y)
        {
            using (var pin = One(agent, x, y))
                return Library.throng_world_queue(handle, pin.Address, (UIntPtr)1, null);
        }

        public bool Queue(ThrongOrder[] orders, int count, ThrongStatus[] results = null)
        {
            Require(count, orders.Length, results);
            using (var pin = new Pin(orders))
                return Batch(count,
                    Library.throng_world_queue(handle, pin.Address, (UIntPtr)count, results));
        }

        public ThrongStatus Patrol(ulong agent, params ThrongPos[] points)
        {
            using (var pin = new Pin(points))
                return Library.throng_world_patrol(handle, agent, pin.Address, (UIntPtr)points.Length);
        }

        public ThrongStatus ExtendPatrol(ulong agent, int x, int y)
        {
            return Library.throng_world_extend_patrol(handle, agent, x, y);
        }

        public ThrongStatus FollowAgent(ulong agent, ulong other, uint distance)
        {
            return Library.throng_world_follow(handle, agent, (uint)ThrongUnitKind.Agent, other, distance);
        }

        public ThrongStatus FollowForeign(ulong agent, ulong other, uint distance)
        {
            return Library.throng_world_follow(handle, agent, (uint)ThrongUnitKind.Foreign, other, distance);
        }

        public bool Halt(ulong[] agents, ThrongStatus[] results = null)
        {
            Require(agents.Length, agents.Length, results);
            return Batch(agents.Length, Library.throng_world_halt(handle, agents, (UIntPtr)agents.Length, results));
        }

        public bool Hold(ulong[] agents, bool holds, ThrongStatus[] results = null)
        {
            Require(agents.Length, agents.Length, results);
            return Batch(agents.Length,
                Library.throng_world_hold(handle, agents, (UIntPtr)agents.Length, holds ? 1u : 0u, results));
        }

        public bool Control(ulong[] agents, bool controlled, ThrongStatus[] results = null)
        {
            Require(agents.Length, agents.Length, results);
            return Batch(agents.Length,
                Library.throng_world_control(handle, agents, (UIntPtr)agents.Length, controlled ? 1u : 0u, results));
        }

        public bool SetPriority(ulong[] agents, int priority, ThrongStatus[] results = null)
        {
            Require(agents.Length, agents.Length, results);
            return Batch(agents.Length,
                Library.throng_world_set_priority(handle, agents, (UIntPtr)agents.Length, priority, results));
        }

        /// <summary>Sets a speed: a number of steps in a number of ticks.</summary>
        public bool SetSpeed(ulong[] agents, uint steps, uint ticks, ThrongStatus[] results = null)
        {
            Require(agents.Length, agents.Length, results);
            return Batch(agents.Length,
                Library.throng_world_set_speed(handle, agents, (UIntPtr)agents.Length, steps, ticks, results));
        }

        public bool SetProfile(ulong[] agents, uint profile, ThrongStatus[] results = null)
        {
            Require(agents.Length, agents.Length, results);
            return Batch(agents.Length,
                Library.throng_world_set_profile(handle, agents, (UIntPtr)agents.Length, profile, results));
        }

        // Foreign units.

        /// <summary>Puts a foreign unit on the map and returns its id; Library.NoId if it is refused.</summary>
        public ulong PlaceForeign(int x, int y)
        {
            var unit = new ulong[1];
            var at = new[] { new ThrongPos { X = x, Y = y } };
            using (var pin = new Pin(at))
                Batch(1, Library.throng_world_place_foreign(handle, pin.Address, (UIntPtr)1, unit, null));
            return unit[0];
        }

        /// <summary>Puts foreign units on the map. `units` gets their ids, Library.NoId for those that are refused.</summary>
        public bool PlaceForeign(ThrongPos[] positions, ulong[] units, ThrongStatus[] results = null)
        {
            Require(positions.Length, units.Length, results);
            using (var pin = new Pin(positions))
                return Batch(positions.Length,
                    Library.throng_world_place_foreign(handle, pin.Address, (UIntPtr)positions.Length, units, results));
        }

        public ThrongStatus MoveForeign(ulong unit, int x, int y)
        {
            using (var pin = One(unit, x, y))
                return Library.throng_world_move_foreign(handle, pin.Address, (UIntPtr)1, null);
        }

        public bool MoveForeign(ThrongOrder[] orders, int count, ThrongStatus[] results = null)
        {
            Require(count, orders.Length, results);
            using (var pin = new Pin(orders))
                return Batch(count,
                    Library.throng_world_move_foreign(handle, pin.Address, (UIntPtr)count, results));
        }

        public ThrongStatus RemoveForeign(ulong unit)
        {
            return Library.throng_world_remove_foreign(handle, new[] { unit }, (UIntPtr)1, null);
        }

        // Edits return the number of cells that they changed.

        public ulong Block(Area area)
        {
            return Edit(ThrongEditKind.Block, area, 0, 0);
        }

        public ulong Unblock(Area area)
        {
            return Edit(ThrongEditKind.Unblock, area, 0, 0);
        }

        public ulong SetTerrain(Area area, ThrongTerrain terrain)
        {
            return Edit(ThrongEditKind.Terrain, area, (uint)terrain, 0);
        }

        public ulong SetDoor(Area area, uint classes)
        {
            return Edit(ThrongEditKind.Door, area, classes, 0);
        }

        public ulong SetCost(Area area, uint classes, uint extra)
        {
            return Edit(ThrongEditKind.Cost, area, classes, extra);
        }

        ulong Edit(ThrongEditKind kind, Area area, uint value, uint extra)
        {
            var edit = new ThrongEdit
            {
                Kind = (uint)kind,
                Shape = (uint)area.Shape,
                A = area.A,
                B = area.B,
                Radius = area.Radius,
                Value = value,
                Extra = extra,
            };
            var changed = new ulong[1];
            using (var pin = new Pin(new[] { edit }))
                ThrongException.Check(Library.throng_world_edit(handle, pin.Address, (UIntPtr)1, changed, null));
            return changed[0];
        }

        // Queries.

        public ThrongWorldInfo Info()
        {
            ThrongWorldInfo info;
            ThrongException.Check(Library.throng_world_info(handle, out info));
            return info;
        }

        public ulong StateHash()
        {
            ulong hash;
            ThrongException.Check(Library.throng_world_state_hash(handle, out hash));
            return hash;
        }

        public string PlannerName
        {
            get
            {
                return Text.Read((byte[] text, UIntPtr capacity, out UIntPtr length) =>
                    Library.throng_world_planner_name(handle, text, capacity, out length));
            }
        }

        /// <summary>Fills arrays with all living agents and their positions, and returns their number.</summary>
        public int Agents(ref ulong[] agents, ref ThrongPos[] positions)
        {
            UIntPtr count;
            var status = ReadAgents(agents, positions, out count);
            if (status == ThrongStatus.BufferTooSmall)
            {
                agents = new ulong[2 * (int)count];
                positions = new ThrongPos[agents.Length];
                status = ReadAgents(agents, positions, out count);
            }
            ThrongException.Check(status);
            return (int)count;
        }

        ThrongStatus ReadAgents(ulong[] agents, ThrongPos[] positions, out UIntPtr count)
        {
            var capacity = (UIntPtr)Math.Min(agents.Length, positions.Length);
            using (var pin = new Pin(positions))
                return Library.throng_world_agents(handle, agents, pin.Address, capacity, out count);
        }

        /// <summary>Fills arrays with all foreign units and their positions, and returns their number.</summary>
        public int ForeignUnits(ref ulong[] units, ref ThrongPos[] positions)
        {
            UIntPtr count;
            var status = ReadForeignUnits(units, positions, out count);
            if (status == ThrongStatus.BufferTooSmall)
            {
                units = new ulong[2 * (int)count];
                positions = new ThrongPos[units.Length];
                status = ReadForeignUnits(units, positions, out count);
            }
            ThrongException.Check(status);
            return (int)count;
        }

        ThrongStatus ReadForeignUnits(ulong[] units, ThrongPos[] positions, out UIntPtr count)
        {
            var capacity = (UIntPtr)Math.Min(units.Length, positions.Length);
            using (var pin = new Pin(positions))
                return Library.throng_world_foreign_units(handle, units, pin.Address, capacity, out count);
        }

        /// <summary>Returns one ThrongTerrain per cell of the world's own map, as it is now.</summary>
        public byte[] Terrain()
        {
            var terrain = new byte[CellCount()];
            UIntPtr count;
            ThrongException.Check(
                Library.throng_world_terrain(handle, terrain, (UIntPtr)terrain.Length, out count));
            return terrain;
        }

        /// <summary>Returns 1 for each cell on which an agent of a profile can stand, as the map is now.</summary>
        public byte[] Walkable(uint profile = 0)
        {
            var cells = new byte[CellCount()];
            UIntPtr count;
            ThrongException.Check(
                Library.throng_world_walkable(handle, profile, cells, (UIntPtr)cells.Length, out count));
            return cells;
        }

        int CellCount()
        {
            var info = Info();
            return (int)(info.Width * info.Height);
        }

        /// <summary>Fills an array with the step of every living agent and returns their number.</summary>
        public int Motions(ref ThrongMotion[] motions)
        {
            UIntPtr count;
            var status = ReadMotions(motions, out count);
            if (status == ThrongStatus.BufferTooSmall)
            {
                motions = new ThrongMotion[2 * (int)count];
                status = ReadMotions(motions, out count);
            }
            ThrongException.Check(status);
            return (int)count;
        }

        ThrongStatus ReadMotions(ThrongMotion[] motions, out UIntPtr count)
        {
            using (var pin = new Pin(motions))
                return Library.throng_world_motions(handle, pin.Address, (UIntPtr)motions.Length, out count);
        }

        public ThrongPos Position(ulong agent)
        {
            var at = new ThrongPos[1];
            using (var pin = new Pin(at))
                ThrongException.Check(
                    Library.throng_world_positions(handle, new[] { agent }, (UIntPtr)1, pin.Address, null));
            return at[0];
        }

        // Batches of queries fill as many entries as there are agents. An agent that does not exist is refused.

        public bool Positions(ulong[] agents, ThrongPos[] positions, ThrongStatus[] results = null)
        {
            Require(agents.Length, positions.Length, results);
            using (var pin = new Pin(positions))
                return Batch(agents.Length,
                    Library.throng_world_positions(handle, agents, (UIntPtr)agents.Length, pin.Address, results));
        }

        public bool AgentInfos(ulong[] agents, ThrongAgentInfo[] infos, ThrongStatus[] results = null)
        {
            Require(agents.Length, infos.Length, results);
            using (var pin = new Pin(infos))
                return Batch(agents.Length,
                    Library.throng_world_agent_infos(handle, agents, (UIntPtr)agents.Length, pin.Address, results));
        }

        public bool NextCells(ulong[] agents, ThrongNextCell[] cells, ThrongStatus[] results = null)
        {
            Require(agents.Length, cells.Length, results);
            using (var pin = new Pin(cells))
                return Batch(agents.Length,
                    Library.throng_world_next_cells(handle, agents, (UIntPtr)agents.Length, pin.Address, results));
        }

        public ThrongAgentInfo AgentInfo(ulong agent)
        {
            var info = new ThrongAgentInfo[1];
            using (var pin = new Pin(info))
                ThrongException.Check(
                    Library.throng_world_agent_infos(handle, new[] { agent }, (UIntPtr)1, pin.Address, null));
            return info[0];
        }

        public ThrongNextCell NextCell(ulong agent)
        {
            var next = new ThrongNextCell[1];
            using (var pin = new Pin(next))
                ThrongException.Check(
                    Library.throng_world_next_cells(handle, new[] { agent }, (UIntPtr)1, pin.Address, null));
            return next[0];
        }

        /// <summary>Fills an array with the remaining path, as far as it fits, and returns the number of cells.</summary>
        public int Path(ulong agent, ThrongPathCell[] cells)
        {
            UIntPtr count;
            using (var pin = new Pin(cells))
                ThrongException.Check(
                    Library.throng_world_path(handle, agent, pin.Address, (UIntPtr)cells.Length, out count));
            return (int)count;
        }

        public ThrongRemaining Remaining(ulong agent)
        {
            ThrongRemaining remaining;
            ThrongException.Check(Library.throng_world_remaining(handle, agent, out remaining));
            return remaining;
        }

        /// <summary>Returns what an agent does after its present goal, and its waypoints or the points of its patrol.</summary>
        public ThrongOrders Orders(ulong agent, out ThrongPos[] points)
        {
            // No queue and no patrol has more points.
            points = new ThrongPos[32];
            ThrongOrders orders;
            UIntPtr count;
            using (var pin = new Pin(points))
                ThrongException.Check(Library.throng_world_orders(
                    handle, agent, out orders, pin.Address, (UIntPtr)points.Length, out count));
            Array.Resize(ref points, (int)count);
            return orders;
        }

        public ulong[] AgentsNear(int x, int y, uint radius)
        {
            var agents = new ulong[16];
            UIntPtr count;
            var status = Library.throng_world_agents_near(handle, x, y, radius, agents, (UIntPtr)agents.Length, out count);
            if (status == ThrongStatus.BufferTooSmall)
            {
                agents = new ulong[(int)count];
                status = Library.throng_world_agents_near(handle, x, y, radius, agents, count, out count);
            }
            ThrongException.Check(status);
            Array.Resize(ref agents, (int)count);
            return agents;
        }

        public ThrongUnit Occupant(int x, int y)
        {
            ThrongUnit unit;
            ThrongException.Check(Library.throng_world_occupant(handle, x, y, out unit));
            return unit;
        }

        public bool Reachable(uint profile, ThrongPos from, ThrongPos to)
        {
            uint found;
            ThrongException.Check(
                Library.throng_world_reachable(handle, profile, from.X, from.Y, to.X, to.Y, out found));
            return found != 0;
        }

        public bool LineOfSight(uint profile, ThrongPos from, ThrongPos to)
        {
            uint found;
            ThrongException.Check(
                Library.throng_world_line_of_sight(handle, profile, from.X, from.Y, to.X, to.Y, out found));
            return found != 0;
        }

        // Snapshots and recordings.

        public byte[] Snapshot()
        {
            ulong bytes;
            ThrongException.Check(Library.throng_world_snapshot(handle, out bytes));
            return Take(bytes);
        }

        public void StartRecording()
        {
            ThrongException.Check(Library.throng_world_start_recording(handle));
        }

        public byte[] DrainRecording()
        {
            ulong bytes;
            ThrongException.Check(Library.throng_world_drain_recording(handle, out bytes));
            return Take(bytes);
        }

        public byte[] FinishRecording()
        {
            ulong bytes;
            ThrongException.Check(Library.throng_world_finish_recording(handle, out bytes));
            return Take(bytes);
        }

        /// <summary>Checks a recording with an implementation of the rules of its own.</summary>
        public static ThrongCheck Check(byte[] recording)
        {
            ThrongCheck check;
            ThrongException.Check(Library.throng_recording_check(recording, (UIntPtr)recording.Length, out check));
            return check;
        }

        /// <summary>Copies bytes of the library and frees them.</summary>
        static byte[] Take(ulong bytes)
        {
            UIntPtr count;
            var none = new byte[0];
            var status = Library.throng_bytes_read(bytes, none, UIntPtr.Zero, out count);
            var copy = new byte[(int)count];
            if (status == ThrongStatus.BufferTooSmall)
                status = Library.throng_bytes_read(bytes, copy, count, out count);
            Library.throng_bytes_free(bytes);
            ThrongException.Check(status);
            return copy;
        }

        static Pin One(ulong unit, int x, int y)
        {
            return new Pin(new[] { new ThrongOrder { Unit = unit, To = new ThrongPos { X = x, Y = y } } });
        }

        /// <summary>Throws if an array is too small for a batch: the library could not know.</summary>
        static void Require(int count, int length, ThrongStatus[] results)
        {
            if (count < 0 || length < count || (results != null && results.Length < count))
                throw new ArgumentException("an array is too small for " + count + " entries");
        }

        /// <summary>Returns true if no entry was refused; throws if the batch was not carried out.</summary>
        static bool Batch(int count, ThrongStatus status)
        {
            // From Outside on, a status is the refusal of a batch of one.
            if (status == ThrongStatus.Ok || status == ThrongStatus.SomeRefused)
                return status == ThrongStatus.Ok;
            if (count == 1 && status >= ThrongStatus.Outside && status <= ThrongStatus.Refused)
                return false;
            throw new ThrongException(status, Message());
        }

        static string Message()
        {
            return Text.Read((byte[] text, UIntPtr capacity, out UIntPtr length) =>
                Library.throng_last_error(text, capacity, out length));
        }
    }
}
