// Measures the page with a large crowd: script time per frame, frames per second, bytes per second. Not a test; docs/view.md has
// the figures. Environment as for run.mjs: THRONG, PLAYWRIGHT, CHROMIUM.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.PLAYWRIGHT ?? process.cwd(), "package.json"));
const { chromium } = require("playwright-core");
const args = ["view", "--no-open", "builtin:valley", "--agents", process.env.AGENTS ?? "2000", "--type", "random"];
const child = spawn(process.env.THRONG ?? "throng", args, { stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise((resolve) => child.stdout.once("data", (line) => resolve(String(line).trim())));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
await page.addInitScript(() => localStorage.setItem("throng-hint", "seen"));
await page.goto(url);
await page.waitForFunction(() => window.throngPage?.model.tick > 30, null, { timeout: 120000 });
const start = await page.evaluate(() => [performance.now(), window.throngPage.measured.frames, window.throngPage.connection.received, window.throngPage.model.tick]);
await page.waitForTimeout(Number(process.env.SECONDS_MEASURED ?? 15) * 1000);
const end = await page.evaluate(() => [performance.now(), window.throngPage.measured.frames, window.throngPage.connection.received, window.throngPage.model.tick]);
const script = await page.evaluate(() => [...window.throngPage.measured.script].sort((a, b) => a - b));
const seconds = (end[0] - start[0]) / 1000;
const share = (part) => script[Math.min(Math.floor(script.length * part), script.length - 1)].toFixed(2);
const frame = page.evaluate(() => new Promise((resolve) => {
  const { connection } = window.throngPage, take = connection.handlers.text;
  connection.handlers.text = (message) => (message.is === "measured" ? resolve([message.encode_us, message.frame_us]) : take(message));
  connection.ask("measure");
}));
const stats = await page.evaluate(() => ({ renderer: window.throngPage.measured.renderer, agents: window.throngPage.model.sides[0].count }));
console.log(JSON.stringify({
  ...stats,
  // The second includes waking the threads that write, which on a busy machine take the processor first.
  server_us_per_frame: (await frame).map((us) => Number(us.toFixed(1))),
  frames_per_second: Number(((end[1] - start[1]) / seconds).toFixed(1)),
  ticks_per_second: Number(((end[3] - start[3]) / seconds).toFixed(1)),
  kilobytes_per_second: Number(((end[2] - start[2]) / seconds / 1000).toFixed(1)),
  script_ms: { mean: Number((script.reduce((a, b) => a + b, 0) / script.length).toFixed(2)), p50: Number(share(0.5)), p99: Number(share(0.99)) },
}));
await browser.close();
child.kill("SIGINT");
