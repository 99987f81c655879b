import cliProgress from 'cli-progress';
import type { ImportProgress, Wait } from 'photo-service-sdk';
import { bytesText, type OutputOptions, timeText } from './print.js';

const RATE_MS = 10_000;
const FORMAT = '{bar} {percentage}%  {files} files  {bytes}  {rate}  ETA {left}{duplicates}{failed}{note}';
/** The interval between lines of progress in a log. */
const LINE_MS = 10_000;

/** Does work whose progress is shown; what is printed after it stands on a line of its own. */
export async function withDisplay<T>(
  options: OutputOptions,
  work: (display: ProgressDisplay) => Promise<T>,
): Promise<T> {
  const display = new ProgressDisplay(options);
  try {
    return await work(display);
  } finally {
    display.end();
  }
}

/** A bar on stderr while something comes or goes; where stderr is no terminal, a line now and then, unless a program reads the result. */
export class ProgressDisplay {
  private readonly bar: cliProgress.SingleBar | null;
  private readonly lines: NodeJS.WriteStream | null;
  private readonly lineEvery: number;
  private lastLine = performance.now();
  private by: Measure = 'bytes';
  private samples: { at: number; value: number }[] = [];
  private waitsUntil = 0;
  private waitNote = '';

  constructor(
    { quiet = false, json = false }: OutputOptions,
    // Milliseconds between two lines where stderr is no terminal.
    { stream = process.stderr, lineEvery = LINE_MS }: { stream?: NodeJS.WriteStream; lineEvery?: number } = {},
  ) {
    const isTerminal = stream.isTTY === true;
    const options = { format: FORMAT, stream, hideCursor: true, clearOnComplete: true, fps: 5 };
    this.bar = isTerminal && !quiet ? new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic) : null;
    this.lines = isTerminal || quiet || json ? null : stream;
    this.lineEvery = lineEvery;
    this.bar?.start(1, 0, fields({}));
  }

  importing({ phase, files, bytes }: ImportProgress): void {
    const sent = files.duplicates + files.failed + files.uploaded;
    // Nothing is sent before it is hashed, and of what the service has already nothing at all: the bar may stand still meanwhile.
    const hashing = files.hashed < files.total ? `${files.hashed} of ${files.total} hashed` : '';
    const isSending = phase === 'sending';
    this.show({
      by: isSending ? 'bytes' : 'files',
      // What failed may have been sent before, and the service may be done with it: each file counts once.
      done: Math.min(files.total, isSending ? sent : files.processed + files.failed),
      total: files.total,
      bytes: Math.min(bytes.toUpload, bytes.uploaded),
      totalBytes: bytes.toUpload,
      duplicates: files.duplicates,
      failed: files.failed,
      note: isSending ? hashing : 'the service is processing the photos',
    });
  }

  show(state: State): void {
    if (this.bar === null && this.lines === null) return;
    const now = performance.now();
    const { by = 'bytes' } = state;
    // The rate of one phase says nothing of the next.
    if (by !== this.by) this.samples = [];
    this.by = by;
    const value = by === 'bytes' ? state.bytes : state.done;
    this.samples.push({ at: now, value });
    while ((this.samples[0]?.at ?? now) < now - RATE_MS) this.samples.shift();
    const [first] = this.samples;
    const rate = first && now > first.at ? (1000 * (value - first.value)) / (now - first.at) : 0;
    const note = now < this.waitsUntil ? this.waitNote : state.note;
    const shown = fields({ ...state, rate, note });
    this.bar?.setTotal(Math.max(1, state.total));
    this.bar?.update(state.done, shown);
    if (this.lines === null || now < this.lastLine + this.lineEvery) return;
    this.lastLine = now;
    const { files, bytes, rate: speed, left, duplicates, failed, note: said } = shown;
    this.lines.write(`${files} files  ${bytes}  ${speed}  ETA ${left}${duplicates}${failed}${said}\n`);
  }

  /** Says why nothing moves. */
  waiting({ reason, milliseconds, problem }: Wait): void {
    this.waitsUntil = performance.now() + milliseconds;
    const time = timeText(milliseconds / 1000);
    this.waitNote = reason === 'limit' ? `waiting ${time} for the rate limit` : `retrying in ${time}: ${problem}`;
    this.bar?.update({ note: `  ${this.waitNote}` });
  }

  /** Clears the bar: what comes after it stands on a line of its own. */
  end(): void {
    this.bar?.stop();
  }
}

type Measure = 'bytes' | 'files';

interface State {
  readonly by?: Measure;
  readonly done: number;
  readonly total: number;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly duplicates?: number;
  readonly failed?: number;
  readonly note?: string | undefined;
}

function fields(state: Partial<State> & { rate?: number }) {
  const { by = 'bytes', done = 0, total = 0, bytes = 0, totalBytes = 0, rate = 0, ...rest } = state;
  const some = (number: number | undefined, word: string) => (number ? `  ${number} ${word}` : '');
  return {
    files: `${done}/${total}`,
    bytes: `${bytesText(bytes)} of ${bytesText(totalBytes)}`,
    rate: by === 'bytes' ? `${bytesText(Math.max(0, Math.round(rate)))}/s` : `${Math.max(0, rate).toFixed(1)} files/s`,
    left: rate > 0 ? timeText((by === 'bytes' ? totalBytes - bytes : total - done) / rate) : '-',
    duplicates: some(rest.duplicates, 'duplicates skipped'),
    failed: some(rest.failed, 'failed'),
    note: rest.note ? `  ${rest.note}` : '',
  };
}
