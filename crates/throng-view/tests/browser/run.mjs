// The scenes of the live page in a browser. Started by `cargo xtask browser`, which installs what it needs.
//
// Environment: THRONG is the program, SCREENSHOTS the folder for pictures, ONLY a part of the names of scenes. ASSETS is a folder whose
// files are used in place of those in the program, to try a change of the page without building it. Every scene has a server and a page of its own.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, writeFileSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";
import assert from "node:assert/strict";
import { findFaults } from "./look.mjs";

const require = createRequire(join(process.env.PLAYWRIGHT ?? process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const program = process.env.THRONG ?? "throng";
/** Only scenes whose names have this part are played, all if it is empty. */
const only = process.env.ONLY ?? "";
const pictures = process.env.SCREENSHOTS ?? "screenshots";
const folder = mkdtempSync(join(tmpdir(), "throng-browser-"));
mkdirSync(pictures, { recursive: true });

const FLAGS = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-features=LocalNetworkAccessChecks", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];

/** Starts a server and returns its address. */
function serve(...args) {
  const child = spawn(program, ["view", "--no-open", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`throng view ended with ${code}`)));
    child.stdout.once("data", (line) => resolve({ child, url: String(line).trim() }));
  });
}

let passed = 0, failed = 0;
/** Scenes that passed only when they were played again. @type {string[]} */
const again = [];
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });

/** Runs a scene; once again if it fails, because a machine that is busy with other things can exceed any time limit. */
async function scene(name, args, act, options = {}) {
  if (!name.includes(only)) return;
  let failure = await attempt(name, args, act, options);
  if (failure) {
    console.log(`     ${name} once more, after: ${failure}`);
    failure = await attempt(name, args, act, options);
    if (!failure) again.push(name);
  }
  console.log(failure ? `FAIL ${name}: ${failure.stack ?? failure}` : `ok   ${name}`);
  if (failure) failed++;
  else passed++;
}

/** Answers a request with a file of ASSETS. */
function replace(route) {
  const name = new URL(route.request().url()).pathname.slice(1) || "index.html", file = join(process.env.ASSETS, name);
  const types = { js: "text/javascript", css: "text/css", html: "text/html", svg: "image/svg+xml" };
  return existsSync(file) ? route.fulfill({ body: readFileSync(file), contentType: types[name.split(".").pop()] }) : route.continue();
}

/** Opens a page on a server of its own and runs a scene. Returns the error, if there is one. */
async function attempt(name, args, act, options) {
  const { child, url } = await serve(...args);
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, acceptDownloads: true, ...options.context });
  const page = await context.newPage();
  if (process.env.ASSETS) await page.route("**/*", replace);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  // The frame of the report runs no scripts, not even those of playwright.
  const counts = (message) => message.type() === "error" && !message.text().includes("frame is sandboxed");
  page.on("console", (message) => counts(message) && errors.push(message.text()));
  try {
    if (options.theme) await page.addInitScript((theme) => localStorage.setItem("throng-theme", theme), options.theme);
    if (!options.hint) await page.addInitScript(() => localStorage.setItem("throng-hint", "seen"));
    await page.goto(url + (options.query ?? ""));
    await page.waitForFunction(() => window.throngPage?.model.version > 2, null, { timeout: 60000 });
    await act(page, (part) => page.screenshot({ path: join(pictures, `${part ? `${name}-${part}` : name}.png`) }), url);
    assert.deepEqual(errors, [], "errors of the page");
    return null;
  } catch (error) {
    await page.screenshot({ path: join(pictures, `${name}-failed.png`) }).catch(() => {});
    return error;
  } finally {
    await context.close();
    child.removeAllListeners("exit");
    child.kill("SIGINT");
  }
}
const model = (page, read) => page.evaluate(`(() => { const { model, camera } = window.throngPage; return (${read})(model, camera); })()`);
/** Waits until a test of the model holds. The page forbids the evaluation of texts, so it is asked again and again from outside. */
async function until(page, test, timeout = 90000) {
  for (const end = Date.now() + timeout; Date.now() < end; await page.waitForTimeout(50)) if (await model(page, test)) return;
  throw new Error(`this did not become true: ${test}`);
}
/** Returns the point of the window where a cell is shown. */
async function at(page, x, y, side = 0) {
  const box = await page.locator("#stage").boundingBox();
  const point = await model(page, `(m, c) => c.toStage(${side}, ${x} + 0.5, ${y} + 0.5)`);
  return [box.x + point.x, box.y + point.y];
}
async function drag(page, from, to, options = {}) {
  await page.mouse.move(...(await at(page, ...from)));
  await page.mouse.down(options);
  const [a, b] = [await at(page, ...from), await at(page, ...to)];
  for (let i = 1; i <= 8; i++) await page.mouse.move(a[0] + ((b[0] - a[0]) * i) / 8, a[1] + ((b[1] - a[1]) * i) / 8);
  await page.mouse.up(options);
}

await scene("watch", ["builtin:town", "--agents", "600", "--type", "swap-sides"], async (page, picture) => {
  await page.click("#speeds button[value='20']");
  await until(page, "(m) => m.tick > 60");
  await picture();
  const before = await model(page, "(m) => m.sides[0].stats.arrived");
  await until(page, `(m) => m.sides[0].stats.arrived > ${before} && m.sides[0].stats.arrived > 10`);
  await page.click("#play");
  await until(page, "(m) => !m.status.playing");
  const tick = await model(page, "(m) => m.tick");
  await page.click("#step");
  await until(page, `(m) => m.tick === ${tick + 1}`);
  await page.click("#step-back");
  await until(page, `(m) => m.tick === ${tick}`);
  await page.selectOption("#layer", "heat");
  await page.waitForTimeout(400);
  await picture("heat");
});

await scene("wall", ["builtin:patrol-empty", "--agents", "200", "--type", "swap-sides"], async (page, picture) => {
  await page.click("#play");
  await page.keyboard.press("w");
  await drag(page, [32, 8], [32, 55]);
  await until(page, "(m) => m.map.filter((value) => value & 128).length > 100");
  const walls = await model(page, "(m) => m.map.filter((value) => value & 128).length");
  await page.keyboard.press("v");
  await page.click("#play");
  // They go around: all arrive, and nobody stands in the wall.
  await page.click("#speeds button[value='60']");
  await until(page, "(m) => m.tick > 50");
  assert.equal(await model(page, "(m) => [...m.sides[0].cells].filter((cell) => m.map[cell] & 128).length"), 0);
  await picture();
  await until(page, "(m) => m.sides[0].stats.arrived === 200", 120000);
  await page.keyboard.press("e");
  await drag(page, [32, 20], [32, 30]);
  await until(page, `(m) => m.map.filter((value) => value & 128).length < ${walls}`);
});

await scene("undo", ["builtin:patrol-empty", "--agents", "0"], async (page) => {
  const walls = "(m) => m.map.filter((value) => value & 128).length";
  assert.ok(await page.isDisabled("#undo"));
  await page.keyboard.press("w");
  await drag(page, [10, 10], [10, 40]);
  await until(page, `(m) => (${walls})(m) > 60 && m.status.undo === 1`);
  const first = await model(page, walls);
  await page.keyboard.press("t");
  await drag(page, [4, 20], [40, 20]);
  await until(page, "(m) => m.status.undo === 2 && m.map.includes(2)");
  // The terrain has opened the wall; both strokes are taken back one after the other.
  assert.ok(await model(page, walls) < first);
  await page.keyboard.press("Control+z");
  await until(page, `(m) => (${walls})(m) === ${first} && !m.map.includes(2)`);
  await page.click("#undo");
  await until(page, `(m) => (${walls})(m) === 0 && m.status.undo === 0`);
});

await scene("streets", ["builtin:town", "--agents", "200", "--planner", "far", "--planner", "bmaa:flow=on"], async (page, picture) => {
  await until(page, "(m) => m.tick > 5");
  await page.selectOption("#layer", "streets");
  await until(page, "(m) => m.layers.length === 2 && m.layers.every((layer) => layer.marks.length > 1000)");
  await page.mouse.move(...(await at(page, 70, 70)));
  for (let i = 0; i < 6; i++) await page.mouse.wheel(0, -120);
  await page.waitForTimeout(400);
  await picture();
  await page.selectOption("#layer", "sectors");
  await page.waitForSelector("#layer-note:not([hidden])");
  await page.selectOption("#layer", "distances");
  assert.match(await page.locator("#layer-note").textContent(), /Choose an agent/);
});

await scene("retask", ["builtin:arena", "--agents", "60", "--type", "random"], async (page, picture) => {
  await page.click("#play");
  await drag(page, [2, 2], [46, 46]);
  await until(page, "(m) => m.selected.size > 20");
  const selected = await model(page, "(m) => m.selected.size");
  await page.mouse.click(...(await at(page, 24, 24)), { button: "right" });
  await page.click("#play");
  await page.click("#speeds button[value='60']");
  await until(page, `(m) => [...m.sides[0].cells].filter((cell, i) => m.selected.has(m.sides[0].rows[i]) && Math.hypot(cell % m.width - 24, Math.floor(cell / m.width) - 24) < 9).length > ${Math.round(selected * 0.9)}`);
  await page.click("#halt");
  await page.keyboard.press("Escape");
  const [x, y] = await model(page, "(m) => m.place(m.sides[0].cells[0])");
  await page.mouse.click(...(await at(page, x, y)));
  await page.waitForSelector("#agent:not([hidden]) dl");
  await picture();
  // Agents can be added and removed, and so can foreign units.
  const before = await model(page, "(m) => m.sides[0].count");
  await page.keyboard.press("Delete");
  await until(page, `(m) => m.sides[0].count === ${before - 1}`);
  await page.keyboard.press("u");
  await page.mouse.click(...(await at(page, 24, 6)));
  await until(page, "(m) => m.sides[0].units.length === 1");
});

await scene("chain", ["builtin:bridge", "--agents", "120", "--type", "swap-sides", "--planner", "lra"], async (page, picture) => {
  await until(page, "(m) => m.sides[0].stats.waiting > 15 && m.tick > 10");
  await page.click("#play");
  await until(page, "(m) => !m.status.playing");
  // Some waiting agent has another in its way.
  const waiting = await model(page, "(m) => [...m.sides[0].rows].filter((_, i) => [2, 4].includes(m.sides[0].states[i])).slice(0, 40)");
  let found = false;
  for (const row of waiting) {
    const [x, y] = await model(page, `(m) => m.place(m.sides[0].cells[m.sides[0].index.get(${row})])`);
    await page.mouse.click(...(await at(page, x, y)));
    await until(page, `(m) => m.chosen && m.report`, 5000).catch(() => {});
    if (await page.locator("#agent .chain li").count() > 1) { found = true; break; }
  }
  assert.ok(found, "no chain of waiting agents was shown");
  await picture();
});

await scene("compare", ["builtin:bridge", "--agents", "80", "--type", "swap-sides"], async (page, picture) => {
  await page.click("#tab-crowd");
  await page.check("#compare");
  await page.selectOption("#planner-1", "lra");
  await picture("form");
  await page.click("#restart");
  await until(page, "(m) => m.sides.length === 2 && m.tick > 2");
  await page.click("#tab-watch");
  await page.click("#speeds button[value='20']");
  // A wall on one side is drawn on both.
  await page.keyboard.press("w");
  await drag(page, [20, 4], [20, 12]);
  await until(page, "(m) => m.tick > 90 && m.map.some((value) => value & 128)");
  await page.keyboard.press("v");
  assert.match(await page.locator("#score").textContent(), /surge|lra|Level/);
  await picture();
});

await scene("bad-map", ["builtin:arena", "--agents", "20"], async (page, picture) => {
  const bad = join(folder, "bad.map");
  writeFileSync(bad, "type octile\nheight 2\nwidth 3\nmap\n...\n.?.\n");
  await page.setInputFiles("#file", bad);
  await page.waitForSelector(".toast.error");
  assert.match(await page.locator(".toast.error").textContent(), /no map: line 6:2/);
  await picture();
  const good = join(folder, "good.map");
  writeFileSync(good, `type octile\nheight 30\nwidth 30\nmap\n${`${".".repeat(30)}\n`.repeat(30)}`);
  await page.setInputFiles("#file", good);
  await until(page, "(m) => m.width === 30");
  await page.click("#tab-crowd");
  await page.fill("#agents", "5000");
  await page.click("#restart");
  await page.waitForSelector("#setup-error:not([hidden])");
  await picture("too-many");
});

await scene("recording", ["builtin:arena", "--agents", "40"], async (page, picture) => {
  await page.click("#record");
  await page.click("#speeds button[value='60']");
  await until(page, "(m) => m.status.recorded !== null && m.tick > 90");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.click("#record")]);
  const file = join(folder, "crowd.throng");
  await saved.saveAs(file);
  assert.equal(readFileSync(file).subarray(0, 8).toString(), "throng-r");
  await page.setInputFiles("#file", file);
  await until(page, "(m) => m.status.replay");
  await page.click("#play");
  await page.locator("#seek").fill("40");
  await until(page, "(m) => m.status.replay.at === 40");
  const there = await model(page, "(m) => [...m.sides[0].cells]");
  await picture();
  await page.locator("#seek").fill("10");
  await until(page, "(m) => m.status.replay.at === 10");
  assert.notDeepEqual(await model(page, "(m) => [...m.sides[0].cells]"), there);
  await page.locator("#seek").fill("40");
  await until(page, "(m) => m.status.replay.at === 40");
  assert.deepEqual(await model(page, "(m) => [...m.sides[0].cells]"), there);
});

await scene("path", ["builtin:caves", "--agents", "0"], async (page, picture) => {
  await page.click("#tab-path");
  const free = await model(page, `(m) => { const cells = []; for (let c = 0; c < m.map.length; c++) if (m.map[c] === 0) cells.push(c);
    return [m.place(cells[200]), m.place(cells[cells.length - 200])]; }`);
  for (const search of ["astar", "jps", "dijkstra"]) {
    await page.selectOption("#search", search);
    if (search === "astar") {
      await page.mouse.click(...(await at(page, ...free[0])));
      await page.mouse.click(...(await at(page, ...free[1])));
    }
    await page.waitForFunction((name) => window.throngPage.paths.result?.search === name, search, { timeout: 90000 });
    const { cost, path, expanded } = await page.evaluate(() => window.throngPage.paths.result);
    assert.ok(cost > 0 && path.length > 10 && expanded.length > 10, `${search}: ${path.length} cells, ${expanded.length} expansions`);
  }
  await page.selectOption("#search", "astar");
  await page.waitForFunction(() => Number(document.querySelector("#path-steps").max) > 1000);
  const all = await page.locator("#path-steps").getAttribute("max");
  await page.locator("#path-steps").fill(String(Math.round(all / 2)));
  await page.click("#path-next");
  assert.match(await page.locator("#path-result").textContent(), /Lower bound/);
  await picture("half");
  await page.locator("#path-steps").fill(all);
  await page.waitForTimeout(200);
  await picture();
});

await scene("real-time", ["builtin:rooms", "--agents", "0"], async (page, picture) => {
  await page.click("#tab-path");
  const ends = await model(page, `(m) => { const cells = []; for (let c = 0; c < m.map.length; c++) if (m.map[c] === 0) cells.push(c);
    return [m.place(cells[40]), m.place(cells[cells.length - 40])]; }`);
  await page.selectOption("#search", "rtaa");
  for (const end of ends) await page.mouse.click(...(await at(page, ...end)));
  await page.waitForFunction(() => window.throngPage.paths.result?.walk?.turns.length > 3);
  await page.click("#path-play");
  const steps = () => page.evaluate(() => window.throngPage.paths.progress(window.throngPage.paths.shown));
  await page.locator("#path-steps").fill("0");
  assert.deepEqual(await steps(), { turn: 0, expanded: 0, raised: 0, visited: 1 });
  await page.click("#path-next");
  assert.deepEqual(await steps(), { turn: 0, expanded: 1, raised: 0, visited: 1 });
  await page.click("#path-turn");
  const second = await steps();
  assert.equal(second.turn, 1);
  assert.ok(second.expanded > 1 && second.visited > 1, JSON.stringify(second));
  assert.match(await page.locator("#path-result").textContent(), /Turn2 of/);
  for (let i = 0; i < 4; i++) await page.click("#path-turn");
  for (let i = 0; i < 20; i++) await page.click("#path-next");
  await page.waitForTimeout(200);
  await picture("turn");
  const all = await page.locator("#path-steps").getAttribute("max");
  await page.locator("#path-steps").fill(all);
  const end = await steps(), result = await page.evaluate(() => window.throngPage.paths.result);
  assert.equal(end.visited, result.walk.visited.length);
  assert.equal(end.expanded, result.expanded.length);
  assert.ok(end.raised > 20 && end.raised === result.walk.raised.length, `${end.raised} estimates raised`);
  await page.waitForTimeout(200);
  await picture();
  // Its parameters come from the registry.
  await page.click("#path details > summary");
  await page.locator("#search-parameters label", { hasText: "expansions" }).locator("input").fill("4");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => window.throngPage.paths.result?.search === "rtaa:expansions=4");
  for (const search of ["rths", "lss-lrta", "da-rtaa", "tba"]) {
    await page.selectOption("#search", search);
    await page.waitForFunction((name) => window.throngPage.paths.result?.search === name && window.throngPage.paths.steps > 20, search);
  }
});

await scene("database", ["builtin:arena", "--agents", "0"], async (page, picture) => {
  await page.click("#tab-path");
  await page.selectOption("#search", "cpd-search");
  for (const end of [[8, 24], [40, 24]]) await page.mouse.click(...(await at(page, ...end)));
  await page.waitForFunction(() => window.throngPage.paths.result?.database === false, null, { timeout: 90000 });
  // The database knows the map before the wall, so the search has to find a way around it.
  await page.keyboard.press("w");
  await drag(page, [24, 12], [24, 36]);
  await page.waitForFunction(() => window.throngPage.paths.result?.database === true);
  for (const search of ["cpd-search", "cpd-focal", "cpd-weighted"]) {
    await page.selectOption("#search", search);
    await page.waitForFunction((name) => window.throngPage.paths.result?.search === name && window.throngPage.paths.result.lower.length > 3, search);
    const { lower, upper, cost } = await page.evaluate(() => window.throngPage.paths.result);
    assert.ok(lower.every((bound) => bound <= cost), search);
    assert.ok(upper.every((bound) => bound === null || bound >= lower[0]), search);
  }
  await page.selectOption("#search", "cpd-search");
  await page.waitForFunction(() => window.throngPage.paths.result?.search === "cpd-search");
  await page.locator("#path-steps").fill(await page.locator("#path-steps").getAttribute("max"));
  await page.waitForTimeout(300);
  await picture();
});

await scene("export", ["builtin:arena", "--agents", "60"], async (page) => {
  await until(page, "(m) => m.tick > 10");
  const save = async (button, name) => {
    const [saved] = await Promise.all([page.waitForEvent("download"), page.click(button)]);
    assert.equal(saved.suggestedFilename(), name);
    await saved.saveAs(join(pictures, `export-${name}`));
    return readFileSync(join(pictures, `export-${name}`));
  };
  const png = await save("#picture", "throng.png");
  assert.deepEqual([...png.subarray(1, 4)].map((byte) => String.fromCharCode(byte)).join(""), "PNG");
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const stage = await page.locator("#stage").boundingBox();
  assert.ok(Math.abs(width - stage.width) <= 1 && height > stage.height, `${width}×${height}`);
  await page.click("#video");
  // Frames count, not seconds: a busy machine draws few.
  const drawn = await page.evaluate(() => window.throngPage.measured.frames);
  await page.waitForFunction((drawn) => window.throngPage.measured.frames > drawn + 20, drawn, { timeout: 90000 });
  const webm = await save("#video", "throng.webm");
  assert.equal(webm.subarray(0, 4).toString("hex"), "1a45dfa3");
  assert.ok(webm.length > 5_000, `${webm.length} bytes`);
});

// An experiment: its report over the map, its runs beside it, and one of them again.
const experiment = join(folder, "churn");
if (["results", "results-errors", "look"].some((name) => name.includes(only) || only.startsWith(name))) {
  execFileSync(program, ["lab", "run", "churn", "--scale", "smoke", "-o", experiment], { stdio: "ignore" });
}

await scene("results", ["builtin:arena", "--agents", "20", experiment], async (page, picture) => {
  await page.click("#tab-results");
  await page.waitForSelector("#report:not([hidden])");
  const report = page.frame({ url: /results\.html/ });
  await report.waitForSelector("table.results");
  await page.waitForSelector("#runs .run");
  const all = await page.locator("#run-count").textContent();
  await picture("report");
  await page.keyboard.press("l");
  assert.equal(await report.evaluate(() => document.documentElement.dataset.theme), await page.evaluate(() => document.documentElement.dataset.theme));
  await page.waitForTimeout(200);
  await picture("report-other-theme");
  // A number of a table lists its runs.
  await report.locator("table.results tbody td").first().click();
  await page.waitForFunction((all) => document.querySelector("#run-count").textContent !== all, all);
  assert.match(await page.locator("#run-filter").inputValue(), /=.+ experiment=churn/);
  await page.locator("#run-filter").fill("nothing like this");
  await page.waitForFunction(() => document.querySelector("#run-count").textContent.startsWith("No run"));
  await page.locator("#run-filter").fill("");
  await page.waitForFunction((all) => document.querySelector("#run-count").textContent === all, all);
  // A run is repeated and shown.
  await page.locator("#runs .run").first().click();
  await until(page, "(m) => m.status.replay?.run", 120000);
  assert.ok(await page.isHidden("#report"));
  await page.waitForSelector("#run-facts .verdict.same");
  await page.click("#play");
  await page.locator("#seek").fill("60");
  await until(page, "(m) => m.status.replay.at === 60");
  await page.waitForTimeout(300);
  await picture("run");
  await page.click("#show-report");
  await page.waitForSelector("#report:not([hidden])");
  await page.click("#close-replay", { force: true }).catch(() => {});
  await page.click("#show-report");
  await page.click("#close-replay");
  await until(page, "(m) => !m.status.replay && m.sides[0].count === 20");
  await page.click("#read-results");
  await until(page, "(m) => m.status.results.version === 2 && m.status.results.state === 'ready'");
});

await scene("results-empty", ["builtin:arena", "--agents", "20"], async (page, picture) => {
  await page.click("#tab-results");
  assert.match(await page.locator("#results-empty").textContent(), /throng lab run/);
  assert.ok(await page.isHidden("#report"));
  await picture();
});

// The folder was readable at the start and is not later; a run whose map is missing cannot be repeated.
await scene("results-errors", ["builtin:arena", "--agents", "20", broken()], async (page, picture) => {
  await page.click("#tab-results");
  await page.waitForSelector("#runs .run");
  const file = join(folder, "broken", "results.parquet"), bytes = readFileSync(file);
  try {
    writeFileSync(file, bytes.subarray(0, bytes.length / 2));
    await page.click("#read-results");
    await page.waitForSelector("#results-error:not([hidden])");
    assert.match(await page.locator("#results-error").textContent(), /results\.parquet is damaged/);
    await picture();
  } finally {
    writeFileSync(file, bytes);
  }
  await page.click("#read-results");
  await page.waitForSelector("#runs .run");
});

/** Copies the results, so that they can be damaged. */
function broken() {
  const copy = join(folder, "broken");
  if (existsSync(experiment)) cpSync(experiment, copy, { recursive: true });
  return copy;
}

await scene("link", ["builtin:arena", "--agents", "20"], async (page, picture, url) => {
  await page.goto(`${url}#map=builtin:bridge&agents=33&planners=pibt&problem=cross-sides&seed=5`);
  await page.reload();
  await until(page, "(m) => m.sides[0].count === 33 && m.width === 64");
  assert.equal(await model(page, "(m) => m.status.planners[0]"), "pibt");
  await page.click("#link");
  await page.waitForSelector(".toast");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /^http:\/\/127\.0\.0\.1:\d+\/#.*map=builtin%3Abridge/);
  // Another crowd is started here; who opens the link while this page watches is asked before it is replaced.
  await page.click("#tab-crowd");
  await page.selectOption("#map", "builtin:arena");
  await page.fill("#agents", "44");
  await page.click("#restart");
  await until(page, "(m) => m.sides[0].count === 44");
  const second = await page.context().newPage();
  await second.goto(link);
  await second.waitForSelector("#linked:not([hidden])");
  assert.equal(await model(second, "(m) => m.sides[0].count"), 44);
  await second.screenshot({ path: join(pictures, "link-asked.png") });
  await second.click("#linked-start");
  await until(second, "(m) => m.sides[0].count === 33 && m.width === 64");
  await until(page, "(m) => m.sides[0].count === 33");
}, { context: { permissions: ["clipboard-read", "clipboard-write"] } });

await scene("agent", ["builtin:town", "--agents", "300", "--type", "swap-sides"], async (page, picture) => {
  await until(page, "(m) => m.tick > 8");
  await page.click("#play");
  await until(page, "(m) => !m.status.playing");
  const [x, y] = await model(page, "(m) => m.place(m.sides[0].cells[m.sides[0].states.indexOf(1)])");
  await page.mouse.click(...(await at(page, x, y)));
  await until(page, "(m) => m.report?.path.length > 8");
  assert.deepEqual(await model(page, "(m) => m.report.path.filter((cell) => cell[2] !== 2).slice(1).filter((cell, i) => Math.max(Math.abs(cell[0] - m.report.path[i][0]), Math.abs(cell[1] - m.report.path[i][1])) !== 1)"), []);
  await page.waitForSelector(".path-legend");
  await page.waitForTimeout(300);
  await picture();
  // What is known of the present is hidden while an earlier tick is shown.
  await page.selectOption("#layer", "heat");
  await page.click("#step-back");
  await page.waitForSelector("#layer-note:not([hidden])");
  assert.match(await page.locator("#agent").textContent(), /earlier tick/);
  await picture("past");
  await page.click("#step");
  await until(page, "(m) => m.status.back === 0");
  await page.selectOption("#layer", "none");
  await page.click("#show-search");
  await page.waitForFunction(() => window.throngPage.paths.result?.path.length > 8);
  await picture("search");
});

await scene("queue", ["builtin:patrol-empty", "--agents", "1", "--type", "random"], async (page, picture) => {
  await page.click("#play");
  await drag(page, [-1, -1], [65, 65]);
  await until(page, "(m) => m.selected.size === 1");
  await page.mouse.click(...(await at(page, 10, 10)), { button: "right" });
  await page.keyboard.down("Shift");
  await page.mouse.click(...(await at(page, 50, 10)), { button: "right" });
  await page.mouse.click(...(await at(page, 50, 50)), { button: "right" });
  await page.keyboard.up("Shift");
  const [x, y] = await model(page, "(m) => m.place(m.sides[0].cells[0])");
  await page.mouse.click(...(await at(page, x, y)));
  await until(page, "(m) => m.report?.queue.length === 2");
  await page.waitForTimeout(300);
  await picture();
  // Every cell that it enters is noted, in the order of the frames.
  await page.evaluate(() => {
    const { connection, model } = window.throngPage, take = connection.handlers.binary;
    window.visited = [];
    connection.handlers.binary = (bytes) => { take(bytes); window.visited.push(model.place(model.sides[0].cells[0]).join()); };
  });
  await page.click("#speeds button[value='60']");
  await page.click("#play");
  await until(page, '(m) => m.place(m.sides[0].cells[0]).join() === "50,50"');
  const order = await page.evaluate(() => ["10,10", "50,10", "50,50"].map((goal) => window.visited.indexOf(goal)));
  assert.ok(order[0] >= 0 && order[0] < order[1] && order[1] < order[2], `${order}`);
});

await scene("generated", ["builtin:arena", "--agents", "20"], async (page, picture) => {
  await page.click("#tab-crowd");
  await page.selectOption("#map", "generate:maze");
  for (const [field, value] of [["#width", "60"], ["#height", "40"], ["#map-seed", "7"], ["#agents", "50"]]) await page.fill(field, value);
  await page.click("#restart");
  await until(page, "(m) => m.width === 60 && m.height === 40 && m.sides[0].count === 50 && m.tick > 10");
  await page.click("#tab-watch");
  await picture();
  // R starts the same crowd again.
  await page.click("#play");
  await until(page, "(m) => !m.status.playing");
  const [epoch, map] = await model(page, "(m) => [m.epoch, [...m.map].join('')]");
  await page.click("#tab-watch");
  await page.keyboard.press("r");
  await until(page, `(m) => m.epoch === ${epoch + 1} && m.tick < 10`);
  assert.equal(await model(page, "(m) => [...m.map].join('')"), map);
});

await scene("layers", ["builtin:caves", "--agents", "300", "--planner", "surge:flow=0.5"], async (page, picture) => {
  await page.click("#speeds button[value='20']");
  await until(page, "(m) => m.tick > 40");
  for (const layer of ["paths", "targets", "directions"]) {
    await page.selectOption("#layer", layer);
    await until(page, "(m) => m.layers[0]?.marks.length > 40");
    await page.waitForTimeout(300);
    await picture(layer);
  }
  // With a small budget searches take several ticks. Of a chosen agent, only its own cells are shown.
  await page.click("#tab-crowd");
  await page.selectOption("#planner-0", "lra");
  await page.fill("#budget", "0.05");
  await page.click("#restart");
  await until(page, "(m) => m.status.planners[0].startsWith('lra') && m.tick > 2");
  await page.click("#play");
  await page.click("#tab-watch");
  await page.selectOption("#layer", "searched");
  await until(page, "(m) => m.layers[0]?.marks.length > 20");
  await picture("searched");
  const row = await model(page, "(m) => m.layers[0].marks[1]");
  const [x, y] = await model(page, `(m) => m.place(m.sides[0].cells[m.sides[0].index.get(${row})])`);
  await page.mouse.click(...(await at(page, x, y)));
  await until(page, "(m) => m.chosen");
  await until(page, "(m) => m.layers[0].marks.every((value, i) => i % 2 === 0 || value === m.chosen.agent)");
});

// A tablet: taps select and send, two fingers zoom.
await scene("touch", ["builtin:arena", "--agents", "1", "--type", "random"], async (page, picture) => {
  const tap = async (x, y) => page.touchscreen.tap(...(await at(page, x, y)));
  await page.tap("#play");
  await until(page, "(m) => !m.status.playing");
  await tap(...(await model(page, "(m) => m.place(m.sides[0].cells[0])")));
  await until(page, "(m) => m.selected.size === 1 && m.report");
  await page.tap("#send");
  await tap(10, 24);
  await until(page, "(m) => m.report?.goal?.join() === '10,24'");
  await page.tap("#then");
  await picture();
  await tap(38, 24);
  await until(page, "(m) => m.report?.queue.join() === '38,24'");
  const before = await model(page, "(m, c) => c.scale"), session = await page.context().newCDPSession(page);
  const [x, y] = await at(page, 24, 24);
  const touch = (type, apart) => session.send("Input.dispatchTouchEvent", { type, touchPoints: apart ? [{ x: x - apart, y, id: 0 }, { x: x + apart, y, id: 1 }] : [] });
  await touch("touchStart", 40);
  for (const apart of [60, 80, 100, 120]) await touch("touchMove", apart);
  await touch("touchEnd", 0);
  await until(page, `(m, c) => c.scale > ${before * 2}`);
}, { context: { viewport: { width: 1024, height: 768 }, hasTouch: true } });

await scene("canvas", ["builtin:arena", "--agents", "60"], async (page, picture) => {
  assert.equal(await page.evaluate(() => window.throngPage.measured.renderer), "canvas");
  await until(page, "(m) => m.tick > 20");
  await picture();
}, { query: "?canvas" });

// Every state of the page, in both themes and on a tablet: no text is clipped, none overlaps, the contrast suffices.
for (const theme of ["light", "dark"]) {
  for (const [size, width, height] of [["wide", 1280, 720], ["tablet", 1024, 768]]) {
    await scene(`look-${theme}-${size}`, ["builtin:town", "--agents", "400", experiment], async (page, picture) => {
      const faults = [];
      const look = async (part) => {
        await page.waitForTimeout(300);
        faults.push(...(await page.evaluate(findFaults)).map((fault) => `${part}: ${fault}`));
        await picture(part);
      };
      await until(page, "(m) => m.tick > 30");
      await look("start");
      await page.click("#hint-close");
      await drag(page, [60, 60], [130, 130]);
      await until(page, "(m) => m.selected.size > 0");
      await look("selection");
      await page.keyboard.press("Escape");
      await page.keyboard.press("t");
      await page.click("#tab-crowd");
      await page.check("#compare");
      for (const summary of await page.locator("#crowd details:not([hidden]) > summary").all()) if (await summary.isVisible()) await summary.click();
      await look("form");
      await page.selectOption("#map", "generate:maze");
      await look("generated");
      await page.click("#tab-path");
      await page.selectOption("#search", "rtaa");
      await page.click("#path details > summary");
      const ends = await model(page, `(m) => { const cells = []; for (let c = 0; c < m.map.length; c++) if (m.map[c] === 0) cells.push(c);
        return [m.place(cells[900]), m.place(cells[cells.length - 900])]; }`);
      for (const end of ends) await page.mouse.click(...(await at(page, ...end)));
      await page.waitForFunction(() => window.throngPage.paths.result);
      await look("path");
      await page.selectOption("#search", "astar");
      await page.waitForFunction(() => window.throngPage.paths.result?.search === "astar");
      await look("path-bounds");
      await page.click("#tab-results");
      await page.waitForSelector("#runs .run");
      await page.waitForSelector("#report:not([hidden])");
      await look("results");
      const report = page.frame({ url: /results\.html/ });
      for (let y = 0, end = await report.evaluate(() => document.documentElement.scrollHeight); y < end; y += 600) {
        await report.evaluate((y) => window.scrollTo(0, y), y);
        faults.push(...(await report.evaluate(findFaults)).map((fault) => `report at ${y}: ${fault}`));
      }
      await page.locator("#runs .run:not(:disabled)").first().click();
      await until(page, "(m) => m.status.replay?.run", 120000);
      await look("run");
      await page.click("#read-results");
      await page.keyboard.press("?");
      await look("help");
      assert.deepEqual(faults, []);
    }, { theme, hint: true, context: { viewport: { width, height } } });
  }
}

// The rest of the states: a running comparison, the card of an agent with the chain that it waits for, events, and what goes wrong.
for (const theme of ["light", "dark"]) {
  for (const [size, width, height] of [["wide", 1280, 720], ["tablet", 1024, 768]]) {
    await scene(`look-more-${theme}-${size}`, ["builtin:bridge", "--agents", "500", "--type", "swap-sides", "--planner", "lra"], async (page, picture) => {
      const faults = [];
      const look = async (part) => {
        await page.waitForTimeout(300);
        faults.push(...(await page.evaluate(findFaults)).map((fault) => `${part}: ${fault}`));
        await picture(part);
      };
      await until(page, "(m) => m.sides[0].stats.waiting > 15 && m.tick > 10");
      // Walls displace agents and close the bridge to others.
      await page.evaluate(() => {
        for (const x of [14, 31, 48]) window.throngPage.connection.ask("paint", { with: "wall", from: [x, 0], to: [x, 47], radius: 1 });
      });
      await page.waitForFunction(() => document.querySelectorAll("#events li button").length > 2);
      await page.click("#play");
      await until(page, "(m) => !m.status.playing");
      for (const row of await model(page, "(m) => [...m.sides[0].rows].filter((_, i) => [2, 4].includes(m.sides[0].states[i])).slice(0, 60)")) {
        await page.mouse.click(...(await at(page, ...(await model(page, `(m) => m.place(m.sides[0].cells[m.sides[0].index.get(${row})])`)))));
        await until(page, "(m) => m.chosen && m.report?.agent === m.chosen.agent", 5000).catch(() => {});
        if (await page.locator("#agent .chain li").count() > 1) break;
      }
      assert.ok(await page.locator("#agent .chain li").count() > 1, "no chain of waiting agents was shown");
      await look("agent");
      await page.locator("#events li").last().scrollIntoViewIfNeeded();
      await look("events");
      await page.click("#step-back");
      await look("past");
      await page.click("#drop");
      await page.click("#tab-crowd");
      await page.check("#compare");
      await page.selectOption("#planner-1", "surge");
      await page.click("#restart");
      await until(page, "(m) => m.sides.length === 2 && m.tick > 30");
      await page.click("#tab-watch");
      await look("compare");
      await page.click("#tab-results");
      await look("results-empty");
      // The server knows nothing of these.
      const say = (change) => page.evaluate((change) => {
        const { connection, model } = window.throngPage, { results } = model.status;
        connection.handlers.text({ ...model.status, ...change, results: { ...results, ...change.results } });
      }, change);
      await page.click("#play");
      await until(page, "(m) => !m.status.playing");
      await page.waitForTimeout(300);
      await say({ results: { state: "failed", error: "experiments/churn/results.parquet is damaged: the file is cut short" } });
      await look("results-error");
      await say({ results: { state: "none" } });
      await page.click("#tab-watch");
      await say({ failed: "index out of bounds: the len is 2304 but the index is 2304" });
      await look("crash");
      await say({ failed: null });
      await page.mouse.click(...(await at(page, 4, 4)), { button: "right" });
      await page.evaluate(() => window.throngPage.connection.handlers.text({ is: "error", about: "upload", text: "this is no map: line 6:2: unknown terrain `?`" }));
      await page.waitForSelector(".toast.error");
      await look("toast");
      await page.evaluate(() => window.throngPage.connection.handlers.online(false));
      await look("offline");
      assert.deepEqual(faults, []);
    }, { theme, context: { viewport: { width, height } } });
  }
}

await browser.close();
rmSync(folder, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed${again.length ? `; passed only when played again: ${again.join(", ")}` : ""}`);
process.exit(failed ? 1 : 0);
