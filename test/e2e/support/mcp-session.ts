import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';

/** A session with `phs mcp` as its client writes and reads it, line by line, without a library in between. */
export class McpSession {
  private readonly child: ChildProcessWithoutNullStreams;
  private readonly lines: Interface;
  private readonly ended: Promise<number | null>;
  private readonly said: { readonly by: 'client' | 'server'; readonly message: unknown }[] = [];
  private nextId = 1;
  private printed = '';

  constructor(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [program, 'mcp', ...args], { env });
    this.lines = createInterface({ input: this.child.stdout });
    this.ended = new Promise((resolve) => this.child.once('close', resolve));
    this.child.stderr.on('data', (chunk: Buffer) => {
      this.printed += chunk.toString();
    });
  }

  /** Sends a request, and resolves with the answer. What else stands on standard output fails the test. */
  async request(method: string, params: object = {}): Promise<unknown> {
    const id = this.nextId++;
    const line = new Promise<string>((resolve) => this.lines.once('line', resolve));
    this.send({ jsonrpc: '2.0', id, method, params });
    const answer = await Promise.race([line, this.ended]);
    if (typeof answer !== 'string') throw new Error(`phs mcp ended: ${this.printed}`);
    const message = JSON.parse(answer) as { id: number; result?: unknown };
    this.said.push({ by: 'server', message });
    expect(message).toMatchObject({ jsonrpc: '2.0', id });
    return message.result;
  }

  notify(method: string): void {
    this.send({ jsonrpc: '2.0', method });
  }

  async open(): Promise<void> {
    const clientInfo = { name: 'test', version: '1' };
    await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    this.notify('notifications/initialized');
  }

  /** Calls a tool; the document in its answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into documents field by field.
  async call(name: string, args: object = {}): Promise<any> {
    const result = (await this.request('tools/call', { name, arguments: args })) as { content: [{ text: string }] };
    return JSON.parse(result.content[0].text);
  }

  /** Closes the client's end. */
  async close(): Promise<{ status: number | null; stderr: string }> {
    this.child.stdin.end();
    return { status: await this.ended, stderr: this.printed };
  }

  /** Everything that was said, in order, without what differs from run to run. */
  transcript(hidden: Readonly<Record<string, string>>): string {
    const lines = this.said.map(({ by, message }) => {
      const line = `${by === 'client' ? '→' : '←'} ${JSON.stringify(lasting(message))}`;
      return Object.entries(hidden).reduce((text, [value, name]) => text.replaceAll(value, name), line);
    });
    return `${lines.join('\n')}\n`;
  }

  private send(message: object): void {
    this.said.push({ by: 'client', message });
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }
}

/** What the service, the decoder or the clock decides. Parameters of tools are the API's, and change with it. */
const CHANGING =
  /^(id|ids|importId|serverInfo|inputSchema|sha256|phash|thumbhash|dominantColor|sizeBytes|bytesUploaded|nextCursor|requestId|imports|missing|pictures)$/;

function lasting(value: unknown, name = ''): unknown {
  if (name === 'text') return lasting(JSON.parse(String(value)));
  if (name === 'data' && typeof value === 'string') return 'BASE64';
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)) return 'TIME';
  if (value !== null && CHANGING.test(name)) return name.toUpperCase();
  if (Array.isArray(value)) return value.map((each) => lasting(each));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, lasting(each, key)]));
}
