//! What is sent to browsers: each packet is made once and shared by all, in a bounded queue per browser.
//!
//! A tick is sent as the difference to the one before. A browser whose queue is full loses all ticks in it and is *behind*:
//! it gets no more differences until it has taken everything else and asks for the whole state. So a browser that reads slowly, or
//! not at all, costs a bounded amount of memory and no time of the simulation.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The largest number of packets in a queue.
const MAX_PACKETS: usize = 32;

/// The largest number of bytes in a queue of a browser that gets one more packet. A single packet may be larger: a map, a
/// recording.
const MAX_BYTES: usize = 2 << 20;

/// A message to browsers.
#[derive(Clone, Debug)]
pub(crate) enum Packet {
    /// A JSON document.
    Text(Arc<str>),
    /// A frame, map, layer or file.
    Binary(Arc<[u8]>),
}

impl Packet {
    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary(bytes) => bytes.len(),
        }
    }
}

/// Identifies a browser for the time of its connection.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ClientId(pub(crate) u64);

/// The queue of one browser.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) id: ClientId,
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    /// The packets, and whether each can be dropped because the whole state follows: all but replies.
    packets: VecDeque<(Packet, bool)>,
    bytes: usize,
    /// The browser must be sent the whole state before it can be sent differences again.
    behind: bool,
    /// It has asked for the whole state.
    asked: bool,
    closed: bool,
}

/// What a writing thread does next.
#[derive(Debug)]
pub(crate) enum Next {
    Send(Packet),
    /// Ask the session for the whole state.
    AskForState,
    Close,
}

impl Client {
    fn new(id: ClientId) -> Self {
        let queue = Queue { behind: true, ..Queue::default() };
        Self { id, queue: Mutex::new(queue), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is something to do.
    pub(crate) fn next(&self) -> Next {
        let mut queue = self.lock();
        loop {
            if let Some(next) = queue.next() {
                return next;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Returns what there is to do now, `None` if it is nothing.
    pub(crate) fn try_next(&self) -> Option<Next> {
        self.lock().next()
    }

    /// Queues a reply. A browser that asks faster than it reads is disconnected.
    pub(crate) fn reply(&self, packet: Packet) {
        let mut queue = self.lock();
        if queue.is_full() {
            queue.drop_states();
        }
        if queue.is_full() {
            queue.closed = true;
        } else {
            queue.push(packet, false);
        }
        self.changed.notify_one();
    }

    /// Queues the difference of a tick, unless the browser is behind.
    fn push_difference(&self, packet: &Packet) {
        let mut queue = self.lock();
        if queue.behind {
            return;
        }
        if queue.is_full() {
            queue.drop_states();
        } else {
            queue.push(packet.clone(), true);
        }
        self.changed.notify_one();
    }

    /// Queues the whole state in place of everything but replies. It can be dropped too: then a later one follows.
    pub(crate) fn push_state(&self, packets: &[Packet]) {
        let mut queue = self.lock();
        queue.drop_states();
        for packet in packets {
            queue.push(packet.clone(), true);
        }
        (queue.behind, queue.asked) = (false, false);
        self.changed.notify_one();
    }

    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_one();
    }

    /// Returns the number of packets and bytes that wait.
    #[cfg(test)]
    fn load(&self) -> (usize, usize) {
        let queue = self.lock();
        (queue.packets.len(), queue.bytes)
    }
}

impl Queue {
    fn next(&mut self) -> Option<Next> {
        if self.closed {
            return Some(Next::Close);
        }
        if let Some((packet, _)) = self.packets.pop_front() {
            self.bytes -= packet.len();
            return Some(Next::Send(packet));
        }
        if self.behind && !self.asked {
            self.asked = true;
            return Some(Next::AskForState);
        }
        None
    }

    fn is_full(&self) -> bool {
        self.packets.len() >= MAX_PACKETS || self.bytes >= MAX_BYTES
    }

    fn push(&mut self, packet: Packet, can_drop: bool) {
        self.bytes += packet.len();
        self.packets.push_back((packet, can_drop));
    }

    fn drop_states(&mut self) {
        self.packets.retain(|(_, can_drop)| !can_drop);
        self.bytes = self.packets.iter().map(|(packet, _)| packet.len()).sum();
        self.behind = true;
    }
}

/// The browsers that are connected.
#[derive(Debug, Default)]
pub(crate) struct Hub {
    clients: Mutex<(u64, Vec<Arc<Client>>)>,
}

impl Hub {
    fn lock(&self) -> MutexGuard<'_, (u64, Vec<Arc<Client>>)> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a browser, `None` if there are as many as `limit`.
    pub(crate) fn join(&self, limit: usize) -> Option<Arc<Client>> {
        let mut clients = self.lock();
        if clients.1.len() >= limit {
            return None;
        }
        clients.0 += 1;
        let client = Arc::new(Client::new(ClientId(clients.0)));
        clients.1.push(Arc::clone(&client));
        Some(client)
    }

    pub(crate) fn leave(&self, id: ClientId) {
        self.lock().1.retain(|client| client.id != id);
    }

    pub(crate) fn client(&self, id: ClientId) -> Option<Arc<Client>> {
        self.lock().1.iter().find(|client| client.id == id).cloned()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of browsers.
    pub(crate) fn len(&self) -> usize {
        self.lock().1.len()
    }

    /// Queues the difference of a tick, or another change of what all see, for all browsers that are not behind. The others are
    /// sent the whole state later.
    pub(crate) fn broadcast_difference(&self, packet: &Packet) {
        for client in &self.lock().1 {
            client.push_difference(packet);
        }
    }

    /// Queues the whole state for all browsers, for example of a new world.
    pub(crate) fn broadcast_state(&self, packets: &[Packet]) {
        for client in &self.lock().1 {
            client.push_state(packets);
        }
    }

    /// Ends all connections.
    pub(crate) fn close(&self) {
        for client in &self.lock().1 {
            client.close();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(size: usize) -> Packet {
        Packet::Binary(vec![0; size].into())
    }

    #[test]
    fn a_browser_that_does_not_read_holds_a_bounded_queue_and_catches_up() {
        let hub = Hub::default();
        let client = hub.join(1).unwrap();
        assert!(hub.join(1).is_none());
        assert!(matches!(client.next(), Next::AskForState));
        client.push_state(&[frame(10)]);
        let mut most = (0, 0);
        for _ in 0..10_000 {
            hub.broadcast_difference(&frame(20_000));
            let load = client.load();
            most = (most.0.max(load.0), most.1.max(load.1));
        }
        assert!(most.0 <= MAX_PACKETS && most.1 <= MAX_BYTES + 20_000, "{most:?}");
        // It is behind and asks for the whole state, once.
        assert!(matches!(client.next(), Next::AskForState));
        hub.broadcast_difference(&frame(7));
        client.push_state(&[frame(11)]);
        hub.broadcast_difference(&frame(12));
        for _ in 0..1_000 {
            hub.broadcast_state(&[frame(1_000_000), frame(11)]);
        }
        assert_eq!(client.load(), (2, 1_000_011));
        client.push_state(&[frame(11)]);
        hub.broadcast_difference(&frame(12));
        let lengths = [client.next(), client.next()].map(|next| match next {
            Next::Send(packet) => packet.len(),
            other => panic!("{other:?}"),
        });
        assert_eq!(lengths, [11, 12]);
    }

    #[test]
    fn a_browser_that_asks_and_does_not_read_is_disconnected() {
        let hub = Hub::default();
        let client = hub.join(1).unwrap();
        for _ in 0..=MAX_PACKETS {
            client.reply(frame(10));
        }
        assert!(matches!(client.next(), Next::Close));
    }
}
