// A scroll through the whole library, by the DevTools protocol alone. playwright-core asks the browser about each request, and then the renderer
// keeps the bodies of responses for whoever may want to see them, up to 100 MB: more than the page itself takes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import WebSocket from 'ws';
import { memoryOf } from './service.mjs';

/** Down to the oldest photo, as somebody would who holds the wheel: a screen at a time. Memory in bytes, the time between frames in ms. */
export async function scrolled(url, cookies, { width, height, count }) {
  const profile = mkdtempSync(join(tmpdir(), 'phs-scroll-'));
  const options = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--remote-debugging-port=0'];
  const chromium = spawn(
    '/usr/bin/chromium-headless-shell',
    [...options, `--user-data-dir=${profile}`, 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      // A group of its own, with its other processes, which would write to the profile for a moment after it has ended.
      detached: true,
    },
  );
  const ended = once(chromium, 'close');
  const rendererBytes = () => memoryOf({ pid: chromium.pid }, '--type=renderer');
  let page;
  try {
    page = await pageOf(await addressOf(chromium));
    const evaluate = async (expression) => {
      const { result } = await page.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      return result.value;
    };
    for (const { name, value, httpOnly, sameSite } of cookies) {
      await page.send('Network.setCookie', { url, name, value, httpOnly, sameSite });
    }
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await page.send('Page.navigate', { url });
    while (!(await evaluate("document.querySelectorAll('.grid img').length > 0"))) await delay(100);
    await evaluate(`
      globalThis.frameTimes = [];
      let last = performance.now();
      const frame = (now) => {
        frameTimes.push(now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
      0;
    `);
    let [most, place, still] = [0, '', 0];
    while (still < 60) {
      const wheel = { type: 'mouseWheel', x: width / 2, y: height / 2, deltaX: 0, deltaY: height };
      await page.send('Input.dispatchMouseEvent', wheel);
      await delay(100);
      const now = await evaluate("[document.querySelectorAll('.grid > li').length, scrollY].join()");
      still = now === place ? still + 1 : 0;
      place = now;
      most = Math.max(most, rendererBytes());
    }
    const [found] = place.split(',').map(Number);
    if (found !== count) throw new Error(`the scroll ended after ${found} photos`);
    const frame = await evaluate('Math.round(frameTimes.sort((a, b) => a - b)[Math.floor(frameTimes.length * 0.95)])');
    await page.send('HeapProfiler.collectGarbage');
    // Decoded pictures are kept as long as nothing else needs the memory: what is left is what the page holds.
    await page.send('Memory.simulatePressureNotification', { level: 'critical' });
    const held = await settled(rendererBytes);
    await page.send('Performance.enable');
    const { metrics } = await page.send('Performance.getMetrics');
    const metric = (name) => metrics.find((each) => each.name === name)?.value ?? 0;
    const pictures = await evaluate("document.querySelectorAll('.grid img').length");
    return { most, held, heap: metric('JSHeapUsedSize'), nodes: metric('Nodes'), pictures, frame };
  } finally {
    page?.close();
    process.kill(-chromium.pid, 'SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** Emptying caches takes a while: until it has not become less for four seconds. */
async function settled(bytes) {
  let least = bytes();
  for (let still = 0; still < 4; still += 1) {
    await delay(1000);
    const now = bytes();
    if (now < least) still = 0;
    least = Math.min(least, now);
  }
  return least;
}

/** Where the browser says that it listens. */
async function addressOf({ stderr }) {
  let said = '';
  for await (const text of stderr) {
    said += text;
    const [, port] = /DevTools listening on ws:\/\/[^:]+:(\d+)/.exec(said) ?? [];
    if (port !== undefined) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`Chromium did not start: ${said}`);
}

/** Its only page. */
async function pageOf(address) {
  const targets = await (await fetch(`${address}/json/list`)).json();
  const socket = new WebSocket(targets.find(({ type }) => type === 'page').webSocketDebuggerUrl);
  await once(socket, 'open');
  const waiting = new Map();
  let last = 0;
  socket.on('message', (text) => {
    const { id, result, error } = JSON.parse(text);
    const answered = waiting.get(id);
    waiting.delete(id);
    if (error) answered?.reject(new Error(error.message));
    else answered?.resolve(result);
  });
  const send = (method, params = {}) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, { resolve, reject });
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  return { send, close: () => socket.terminate() };
}
