//! For the fuzz target of the page: messages of a browser, carried out by a session without a socket and a thread of its own.

use std::sync::Arc;
use std::sync::mpsc::sync_channel;

use crate::hub::{Client, Hub, Next, Packet};
use crate::message::{self, Order};
use crate::results::{ResultFolders, SharedResults};
use crate::session::{Event, Links, Session};
use crate::setup::{MapSource, Setup};
use crate::upload::UploadBudget;

/// The largest crowd and the largest side of a map. What is larger only takes longer.
const MAX_AGENTS: usize = 60;
const MAX_SIDE: u32 = 64;

/// The largest number of messages.
const MAX_MESSAGES: usize = 64;

/// Carries out messages, with a tick after each. A message ends with a line feed. A line that begins with a zero is
/// an upload of the rest.
///
/// # Panics
/// If a message does damage.
pub fn messages(data: &[u8]) {
    drop(play(data));
}

/// Carries out messages. Returns the session and what the browser was sent.
fn play(data: &[u8]) -> (Session, Vec<Packet>) {
    let mut sent = Vec::new();
    let (sender, events) = sync_channel(1_024);
    let hub = Arc::new(Hub::default());
    let results = Arc::new(SharedResults::new(ResultFolders::default()));
    let setup = Setup { map: "builtin:rooms".to_owned(), agents: 12, ..Setup::default() };
    let links = Links { hub: Arc::clone(&hub), results, events: sender };
    let mut session = Session::open(setup, &MapSource::Named, links).expect("a built-in map has room");
    let client = hub.join(1).expect("no other browser is there");
    let (mut rest, uploads) = (data, UploadBudget::default());
    for _ in 0..MAX_MESSAGES {
        let Some(event) = next_event(&client, &uploads, &mut rest) else { break };
        match event {
            Ok(Event::Order(_, order)) if !is_small(&order) => {}
            Ok(event) => session.handle(event),
            Err(reason) => client.reply(message::error("request", &reason)),
        }
        session.forward();
        session.send_changes();
        while let Ok(event) = events.try_recv() {
            session.handle(event);
        }
        read_all(&client, &mut session, &mut sent);
    }
    (session, sent)
}

/// Takes the next message, `None` at the end.
fn next_event(client: &Client, uploads: &UploadBudget, rest: &mut &[u8]) -> Option<Result<Event, String>> {
    if let Some((0, bytes)) = rest.split_first() {
        let upload = uploads.take(bytes).ok_or_else(|| "too many bytes wait".to_owned());
        *rest = &[];
        return Some(upload.map(|upload| Event::Upload(client.id, upload)));
    }
    let end = rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let (line, after) = rest.split_at(end);
    *rest = after.get(1..).unwrap_or_default();
    let parse = || std::str::from_utf8(line).map_err(|error| error.to_string()).and_then(message::parse);
    (end > 0 || !rest.is_empty()).then(|| parse().map(|order| Event::Order(client.id, order)))
}

/// Returns false for a message that starts a thread or a large crowd.
fn is_small(order: &Order) -> bool {
    match order {
        Order::Setup { setup, .. } => {
            setup.agents <= MAX_AGENTS && setup.width <= MAX_SIDE && setup.height <= MAX_SIDE
        }
        Order::Path { .. } | Order::ReadResults => false,
        _ => true,
    }
}

/// Reads everything that waits for the browser.
fn read_all(client: &Client, session: &mut Session, sent: &mut Vec<Packet>) {
    while let Some(next) = client.try_next() {
        match next {
            Next::Send(packet) => sent.push(packet),
            Next::AskForState => session.handle(Event::Behind(client.id)),
            Next::Close => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the JSON messages of a kind.
    fn texts(sent: &[Packet], is: &str) -> Vec<serde_json::Value> {
        let read = |packet: &Packet| match packet {
            Packet::Text(text) => Some(serde_json::from_str::<serde_json::Value>(text).unwrap()),
            Packet::Binary(_) => None,
        };
        sent.iter().filter_map(read).filter(|value| value["is"] == is).collect()
    }

    #[test]
    fn messages_are_carried_out_between_ticks() {
        let data = br#"{"do":"pause"}
{"do":"spawn","at":[10,10],"radius":2}
{"do":"inspect","side":0,"agent":3}
{"do":"measure"}
{"do":"paint","with":"wall","from":[3,3],"to":[9,3],"radius":1}
{"do":"setup","setup":{"agents":9,"planners":["surge","pibt"],"map":"generate:caves","width":30,"height":30}}
{"do":"measure"}
"#;
        let (_, sent) = play(data);
        assert_eq!(texts(&sent, "error"), [serde_json::Value::Null; 0]);
        assert_eq!(texts(&sent, "agent").len(), 1);
        let measured = texts(&sent, "measured");
        let worlds = |value: &serde_json::Value| value["hashes"].as_array().map(Vec::len);
        assert_eq!(measured.iter().map(worlds).collect::<Vec<_>>(), [Some(1), Some(2)]);
        assert_eq!(
            measured.iter().map(|value| value["tick"].as_u64()).collect::<Vec<_>>(),
            [Some(3), Some(1)]
        );
        let most = texts(&sent, "status").iter().filter_map(|value| value["undo"].as_u64()).max();
        assert_eq!(most, Some(1), "a stroke was painted");
        assert_eq!(texts(&play(b"{\"do\":\"dance\"}\n").1, "error").len(), 1);
    }

    #[test]
    fn a_line_that_begins_with_a_zero_is_an_upload() {
        let (_, sent) = play(b"{\"do\":\"pause\"}\n\0type octile\nheight 1\nwidth 3\nmap\n...\n");
        assert_eq!(texts(&sent, "error"), [serde_json::Value::Null; 0]);
        let own = texts(&sent, "status").iter().any(|value| value["own-map"] == "opened map");
        assert!(own, "the map is shown");
        assert_eq!(texts(&play(b"\0type octile\nheight 9").1, "error").len(), 1);
    }
}
