import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import WebSocket from 'ws';
import { until } from '../../support/until.js';
import { program } from './programs.js';

/** Keys by their WebDriver code points (WebDriver §17.4.2); a letter is itself. */
const KEYS: Readonly<Record<string, string>> = {
  Enter: '\uE007',
  Escape: '\uE00C',
  ArrowLeft: '\uE012',
  ArrowRight: '\uE014',
  Delete: '\uE017',
  Control: '\uE009',
};

interface Answer {
  readonly id?: number;
  readonly type: 'success' | 'error' | 'event';
  readonly result?: Record<string, unknown>;
  readonly message?: string;
  readonly method?: string;
  readonly params?: {
    readonly level?: string;
    readonly text?: string;
    readonly filepath?: string;
  };
}

/**
 * Debian's Firefox, by WebDriver BiDi: as much of it as the flows need. playwright-core drives only a Firefox of its own, and puppeteer-core
 * needs a newer Node than this project supports.
 */
export class Firefox {
  /** What pages complained of: failed scripts, refused styles. */
  readonly complaints: string[] = [];
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  /** Where downloads were saved. */
  private readonly downloads: string[] = [];
  private next = 1;
  private context = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly profile: string,
    private readonly socket: WebSocket,
  ) {
    socket.on('message', (data) => this.receive(JSON.parse(String(data)) as Answer));
  }

  static async launch(): Promise<Firefox> {
    const profile = mkdtempSync(join(tmpdir(), 'firefox-'));
    // Nothing fades: what is looked at has its colours at once. Nobody sees more than ten pictures a second, and each costs.
    const settings = ['user_pref("ui.prefersReducedMotion", 1);', 'user_pref("layout.frame_rate", 10);'];
    writeFileSync(join(profile, 'user.js'), settings.join('\n'));
    const remote = ['--remote-debugging-port', '0', '--remote-allow-system-access'];
    const args = ['--headless', '--no-remote', '--profile', profile, ...remote, 'about:blank'];
    const env = { ...process.env, HOME: profile };
    const child = spawn(program('firefox-esr', 'firefox-esr'), args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    try {
      const socket = new WebSocket(`${await addressOf(child)}/session`, { perMessageDeflate: false });
      await once(socket, 'open');
      const firefox = new Firefox(child, profile, socket);
      await firefox.send('session.new', { capabilities: {} });
      await firefox.send('session.subscribe', { events: ['log.entryAdded', 'browsingContext.downloadEnd'] });
      const downloadBehavior = { type: 'allowed', destinationFolder: profile };
      await firefox.send('browser.setDownloadBehavior', { downloadBehavior });
      const { contexts } = await firefox.send('browsingContext.getTree', {});
      firefox.context = (contexts as { context: string }[])[0]?.context ?? '';
      return firefox;
    } catch (error) {
      child.kill('SIGKILL');
      rmSync(profile, { recursive: true, force: true });
      throw error;
    }
  }

  async close(): Promise<void> {
    this.socket.terminate();
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    rmSync(this.profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }

  async goto(url: string): Promise<void> {
    await this.send('browsingContext.navigate', { context: this.context, url, wait: 'complete' });
  }

  async resize(width: number, height: number): Promise<void> {
    await this.send('browsingContext.setViewport', { context: this.context, viewport: { width, height } });
  }

  /** As if the reader's system had these colours. WebDriver BiDi has no command for it, but a setting of the browser does. */
  async prefer(colorScheme: 'light' | 'dark'): Promise<void> {
    const { contexts } = await this.send('browsingContext.getTree', { 'moz:scope': 'chrome' });
    const { type, exceptionDetails } = await this.send('script.evaluate', {
      expression: `Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', ${Number(colorScheme === 'light')})`,
      target: { context: (contexts as { context: string }[])[0]?.context ?? '' },
      awaitPromise: false,
    });
    if (type !== 'success') throw new Error(JSON.stringify(exceptionDetails));
    await this.wait(`matchMedia('(prefers-color-scheme: ${colorScheme})').matches`);
  }

  /** What each page that is opened from now on begins with. */
  async beginPagesWith(script: string): Promise<void> {
    await this.send('script.addPreloadScript', { functionDeclaration: `() => { ${script} }` });
  }

  /** The value of an expression or promise, as JSON has it. The page's policy does not bind it. */
  async evaluate<Value>(expression: string): Promise<Value> {
    const { type, result, exceptionDetails } = await this.send('script.evaluate', {
      expression: `(async () => JSON.stringify((await (${expression})) ?? null))()`,
      target: { context: this.context },
      awaitPromise: true,
    });
    if (type !== 'success') throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return JSON.parse((result as { value: string }).value) as Value;
  }

  /** Waits until an expression is true, on whichever page is there then. */
  async wait(expression: string): Promise<void> {
    await until(() => this.evaluate<boolean>(`!!(${expression})`).catch(() => false));
  }

  /** A click of the mouse in the middle of the first element that is visible. */
  click(selector: string): Promise<void> {
    return this.clickFirst(`[...document.querySelectorAll(${JSON.stringify(selector)})]`);
  }

  /** The same on a button or link that has this text. */
  follow(text: string): Promise<void> {
    const all = `[...document.querySelectorAll('button, a, summary')]`;
    return this.clickFirst(`${all}.filter((each) => each.textContent.trim() === ${JSON.stringify(text)})`);
  }

  private async clickFirst(all: string): Promise<void> {
    const found = `${all}.find((each) => each.checkVisibility())`;
    await this.wait(found);
    const [x, y] = await this.evaluate<[number, number]>(`(() => {
      const element = ${found};
      element.scrollIntoView({ block: 'center', behavior: 'instant' });
      const { left, top, width, height } = element.getBoundingClientRect();
      return [Math.round(left + width / 2), Math.round(top + height / 2)];
    })()`);
    const actions = [
      { type: 'pointerMove', x, y },
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ];
    await this.act({ type: 'pointer', id: 'mouse', actions });
  }

  /** Keys one after the other. */
  async press(...keys: readonly string[]): Promise<void> {
    const actions = keys.flatMap((key) => {
      const value = KEYS[key] ?? key;
      return [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ];
    });
    await this.act({ type: 'key', id: 'keyboard', actions });
  }

  /** A key while Control is held. */
  async pressWithControl(key: string): Promise<void> {
    const value = KEYS['Control'];
    const actions = [
      { type: 'keyDown', value },
      { type: 'keyDown', value: key },
      { type: 'keyUp', value: key },
      { type: 'keyUp', value },
    ];
    await this.act({ type: 'key', id: 'keyboard', actions });
  }

  /** Into the field that has the focus. */
  type(text: string): Promise<void> {
    return this.press(...text);
  }

  /** Replaces what is in a field. */
  async fill(selector: string, text: string): Promise<void> {
    await this.click(selector);
    await this.pressWithControl('a');
    await this.type(text);
  }

  /** Of a list of choices. WebDriver BiDi has no command for it. */
  async choose(selector: string, value: string): Promise<void> {
    await this.evaluate(`(() => {
      const list = document.querySelector(${JSON.stringify(selector)});
      list.value = ${JSON.stringify(value)};
      list.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
  }

  /** As somebody selects them in the dialog of the browser. */
  async setFiles(selector: string, files: readonly string[]): Promise<void> {
    const locator = { type: 'css', value: selector };
    const { nodes } = await this.send('browsingContext.locateNodes', { context: this.context, locator });
    await this.send('input.setFiles', { context: this.context, element: (nodes as object[])[0], files });
  }

  /** The path of the file that is saved after an action. */
  async downloadedBy(act: () => Promise<void>): Promise<string> {
    const before = this.downloads.length;
    await act();
    await until(() => this.downloads.length > before);
    return this.downloads[before] ?? '';
  }

  private async act(source: object): Promise<void> {
    await this.send('input.performActions', { context: this.context, actions: [source] });
  }

  private async send(method: string, params: object): Promise<Record<string, unknown>> {
    const id = this.next;
    this.next += 1;
    const answered = new Promise<Answer>((resolve) => this.waiting.set(id, resolve));
    this.socket.send(JSON.stringify({ id, method, params }));
    const { type, result, message } = await answered;
    if (type === 'error' || result === undefined) throw new Error(`${method}: ${message}`);
    return result;
  }

  private receive({ id, ...answer }: Answer): void {
    if (answer.method === 'log.entryAdded' && answer.params?.level === 'error') {
      this.complaints.push(answer.params.text ?? '');
    }
    if (answer.method === 'browsingContext.downloadEnd') this.downloads.push(answer.params?.filepath ?? '');
    if (id === undefined) return;
    this.waiting.get(id)?.({ id, ...answer });
    this.waiting.delete(id);
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stderr === null) throw new Error('Firefox has no output');
  for await (const line of createInterface({ input: child.stderr })) {
    const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('Firefox ended before it listened');
}
