// The scenes of the live page in a browser. Started by `cargo xtask browser`, which installs what it needs.
//
// Environment: THRONG is the program, SCREENSHOTS the folder for pictures. Every scene has a server and a page of its own.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";
import assert from "node:assert/strict";
import { findFaults } from "./look.mjs";

const require = createRequire(join(process.env.PLAYWRIGHT ?? process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const pictures = process.env.SCREENSHOTS ?? "screenshots";
const folder = mkdtempSync(join(tmpdir(), "throng-browser-"));
mkdirSync(pictures, { recursive: true });

const FLAGS = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];

/** Starts a server and returns its address. */
function serve(...args) {
  const child = spawn(process.env.THRONG ?? "throng", ["view", "--no-open", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`throng view ended with ${code}`)));
    child.stdout.once("data", (line) => resolve({ child, url: String(line).trim() }));
  });
}

let passed = 0, failed = 0;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });

/** Runs a scene; once again if it fails, because a machine that is busy with other things can exceed any time limit. */
async function scene(name, args, act, options = {}) {
  const failure = (await attempt(name, args, act, options)) && (console.log(`     ${name} once more`), await attempt(name, args, act, options));
  console.log(failure ? `FAIL ${name}: ${failure.stack ?? failure}` : `ok   ${name}`);
  if (failure) failed++;
  else passed++;
}

/** Opens a page on a server of its own and runs a scene. Returns the error, if there is one. */
async function attempt(name, args, act, options) {
  const { child, url } = await serve(...args);
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, acceptDownloads: true, ...options.context });
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
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
  for (const search of ["astar", "jps", "cpd-search"]) {
    await page.selectOption("#search", search);
    if (search === "astar") {
      await page.mouse.click(...(await at(page, ...free[0])));
      await page.mouse.click(...(await at(page, ...free[1])));
    }
    await page.waitForFunction((name) => document.querySelector("#path-result dd") && !document.querySelector("#path-play").disabled || name !== "astar", search);
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

await scene("link", ["builtin:arena", "--agents", "20"], async (page, picture, url) => {
  await page.goto(`${url}#map=builtin:bridge&agents=33&planners=pibt&problem=cross-sides&seed=5`);
  await page.reload();
  await until(page, "(m) => m.sides[0].count === 33 && m.width === 64");
  assert.equal(await model(page, "(m) => m.status.planners[0]"), "pibt");
});

await scene("canvas", ["builtin:arena", "--agents", "60"], async (page, picture) => {
  assert.equal(await page.evaluate(() => window.throngPage.measured.renderer), "canvas");
  await until(page, "(m) => m.tick > 20");
  await picture();
}, { query: "?canvas" });

// Every state of the page, in both themes and on a tablet: no text is clipped, none overlaps, the contrast suffices.
for (const theme of ["light", "dark"]) {
  for (const [size, width, height] of [["wide", 1280, 720], ["tablet", 1024, 768]]) {
    await scene(`look-${theme}-${size}`, ["builtin:town", "--agents", "400"], async (page, picture) => {
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
      await look("path");
      await page.keyboard.press("?");
      await look("help");
      assert.deepEqual(faults, []);
    }, { theme, hint: true, context: { viewport: { width, height } } });
  }
}

await browser.close();
rmSync(folder, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
