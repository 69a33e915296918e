//! A hundred browsers for an hour that order at random, upload, fall silent and leave, beside one that steps the crowd and
//! compares its hashes with those of a world that nobody else touches.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use throng::grid::SeededRng;
use throng_view::Setup;

use crate::browser::{Browser, Running};

/// The number of browsers that do anything.
const CLIENTS: u64 = 100;

/// The largest growth of resident memory after the first minute, in pages of 4 KiB: a queue of 2 MB per browser.
const GROWTH: usize = CLIENTS as usize * 512 + 16_384;

fn setup() -> Setup {
    Setup { map: "builtin:town".to_owned(), agents: 300, ..Setup::default() }
}

/// Returns the resident memory of the process in pages, 0 where the system does not say.
fn resident_pages() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0)
}

/// Returns an order that changes no world, or one that is refused.
fn harmless(random: &mut SeededRng) -> String {
    let agent = random.below(400);
    match random.below(9) {
        0 => format!(r#"{{"do":"inspect","side":0,"agent":{agent}}}"#),
        1 => format!(r#"{{"do":"layer","side":0,"layer":"paths","agent":{agent}}}"#),
        2 => r#"{"do":"layer","side":0,"layer":"targets","agent":null}"#.to_owned(),
        3 => r#"{"do":"measure"}"#.to_owned(),
        4 => {
            let [x, y] = [random.below(90), random.below(90)];
            format!(r#"{{"do":"path","search":"jps","from":[{x},{y}],"to":[{y},{x}]}}"#)
        }
        5 => r#"{"do":"dance"}"#.to_owned(),
        6 => r#"{"do":"setup","setup":{"map":"builtin:nowhere"}}"#.to_owned(),
        7 => "{".repeat(1 + random.below(2_000) as usize),
        _ => format!(r#"{{"do":"send","agents":[{agent}],"to":[-1,{agent}]}}"#),
    }
}

/// Connects, orders, uploads files that are refused, sometimes reads nothing, and leaves; again and again.
fn visit(server: &Running, seed: u64, ended: &AtomicBool, orders: &AtomicU64, visits: &AtomicU64) {
    let mut random = SeededRng::new(seed);
    while !ended.load(Ordering::Relaxed) {
        // Browsers that have left count until the server notices it, so that it may have too many.
        let Some(mut browser) = server.try_connect() else {
            std::thread::sleep(Duration::from_millis(100));
            continue;
        };
        visits.fetch_add(1, Ordering::Relaxed);
        let reads = random.below(4) > 0;
        for _ in 0..random.below(60) {
            let sent = if random.below(12) == 0 {
                browser.try_upload(&vec![random.below(256) as u8; random.below(4_000) as usize])
            } else {
                browser.try_order(&harmless(&mut random))
            };
            // A browser that asks and does not read is sent away.
            if !sent || ended.load(Ordering::Relaxed) {
                break;
            }
            orders.fetch_add(1, Ordering::Relaxed);
            if reads {
                browser.read_for(Duration::from_millis(u64::from(20 + random.below(200))));
            } else {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

/// Ends the visits when it is dropped, also by a panic.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Starts the crowd again and steps it. Returns the hashes.
fn play(browser: &mut Browser, ticks: u32) -> serde_json::Value {
    let setup = serde_json::to_string(&setup()).unwrap();
    browser.order(&format!(r#"{{"do":"setup","setup":{setup},"paused":true}}"#));
    for tick in 0..ticks {
        browser.order(r#"{"do":"step"}"#);
        if tick % 10 == 9 {
            browser.hash();
        }
    }
    browser.hash()
}

#[test]
#[ignore = "soak: a hundred browsers for THRONG_CLIENT_SECONDS, an hour without it"]
fn soak_clients() {
    let seconds = std::env::var("THRONG_CLIENT_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(3_600));
    let alone = play(&mut Running::start(setup()).browse(), 60);
    let server = Running::start(setup());
    let (ended, orders, visits) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let (mut rounds, mut first, mut most) = (0_u64, 0, 0);
    let mut control = server.browse();
    std::thread::scope(|scope| {
        let _ends = Ends(&ended);
        for seed in 0..CLIENTS {
            let (server, ended, orders, visits) = (&server, &ended, &orders, &visits);
            scope.spawn(move || visit(server, seed, ended, orders, visits));
        }
        while Instant::now() < end {
            let found = play(&mut control, 60);
            assert_eq!(found, alone, "round {rounds}");
            rounds += 1;
            let pages = resident_pages();
            first = if rounds <= 5 { pages } else { first };
            most = most.max(pages);
        }
    });
    let [orders, visits] = [orders, visits].map(AtomicU64::into_inner);
    println!(
        "{CLIENTS} browsers, {visits} visits, {orders} orders, {rounds} rounds of 60 ticks with equal hashes; {first} pages \
         of memory after five rounds, {most} at most"
    );
    assert!(rounds > 0 && orders > 0);
    assert!(most <= first + GROWTH, "memory grows: {first} pages, then {most}");
}
