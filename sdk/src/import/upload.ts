import { ConnectionError } from '../errors.js';
import type { UploadTarget } from '../resources.js';
import { pause } from '../transport.js';
import type { ImportRun } from './run.js';
import { FileProblem, type HashedFile, type ImportSource, type UploadAnswer } from './source.js';

const ATTEMPTS = 8;
/** The number of times that the same bytes are sent although the other side says that they are not what was declared. */
const DOUBTFUL_ATTEMPTS = 2;
/** The target has expired, or its item no longer takes bytes. */
const STALE = new Set([401, 403, 404, 409, 410]);
/** Another request is not over yet, or has brought more in the meantime: the same target is good. */
const BEHIND = new Set(['upload_in_progress', 'upload_offset_mismatch']);
/** The statuses of a proxy for methods that it does not know. */
const WITHOUT_TUS = new Set([405, 501]);
const PASSING = new Set([408, 429, 500, 502, 503, 504, 507]);
/** Files from this size on continue where they were cut off; for smaller ones asking first takes longer than sending them again. */
const RESUMABLE_BYTES = 8 * 1024 ** 2;
const TUS = { 'Tus-Resumable': '1.0.0' };

/**
 * Sends one file to its target. `stale`: it needs a fresh one; `failed`: it has been noted why. Rejects with `ConnectionError` when it cannot be
 * sent for a minute or two: then the others would fare no better.
 */
export async function upload(
  run: ImportRun,
  file: HashedFile,
  target: UploadTarget,
): Promise<'sent' | 'stale' | 'failed'> {
  const sending = new Sending(run, file, target);
  let doubts = 0;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await sending.once();
    if (answer === 'failed') return answer;
    if (sending.hasAdvanced) attempt = 0;
    if ('status' in answer) {
      if (answer.status >= 200 && answer.status < 300) return 'sent';
      const isBehind = BEHIND.has(answer.code ?? '');
      if (STALE.has(answer.status) && !isBehind) return 'stale';
      if (!PASSING.has(answer.status) && !isBehind) {
        doubts += 1;
        if (!(await isUnchanged(run, file))) return 'failed';
        if (doubts < DOUBTFUL_ATTEMPTS) continue;
        const reason = answer.message ?? answer.code ?? `status ${answer.status}`;
        run.fail(file.source, answer.code ?? 'upload_refused', `The upload was refused: ${reason}`);
        return 'failed';
      }
    }
    if (attempt >= ATTEMPTS) {
      const broken = 'broken' in answer ? answer.broken : undefined;
      const problem = 'status' in answer ? `it responds with ${answer.status}` : answer.broken.message;
      // The path is a secret: anyone who has it can upload.
      const message = `Cannot upload to ${new URL(target.url).origin}: ${problem}.`;
      throw new ConnectionError(message, { cause: broken });
    }
    const most = Math.min(30_000, 500 * 2 ** attempt);
    await pause((0.5 + Math.random() / 2) * most, run.signal);
  }
}

/** The attempts to send one file, and what they add to the progress of the run. */
class Sending {
  private isResumable: boolean;
  private counted = 0;
  private arrived = 0;
  /** Whether more of the file has arrived than before the last attempt. */
  hasAdvanced = false;

  constructor(
    private readonly run: ImportRun,
    private readonly file: HashedFile,
    private readonly target: UploadTarget,
  ) {
    this.isResumable = file.source.sizeBytes > RESUMABLE_BYTES && (target.protocols ?? []).includes('tus');
  }

  async once(): Promise<UploadAnswer | { readonly broken: Error } | 'failed'> {
    const { run, target } = this;
    const { source } = this.file;
    this.hasAdvanced = false;
    const onBytes = (count: number) => this.count(this.counted + count);
    const onOffset = (offset: number) => {
      this.hasAdvanced = offset > this.arrived;
      this.arrived = offset;
      this.count(offset);
    };
    try {
      if (!this.isResumable) this.count(0);
      const answer = this.isResumable
        ? await continueUpload(source, target, { onOffset, onBytes }, run.signal)
        : await source.send({ ...target, start: 0 }, onBytes, run.signal);
      const isTaken = answer.status >= 200 && answer.status < 300;
      this.count(isTaken ? source.sizeBytes : this.arrived);
      if (!this.isResumable || !WITHOUT_TUS.has(answer.status)) return answer;
      // Something on the way does not let it through.
      this.isResumable = false;
      return await this.once();
    } catch (error) {
      // What of it has arrived is not known yet: the bar stays where it is.
      if (!this.isResumable) this.count(0);
      run.signal.throwIfAborted();
      if (error instanceof FileProblem) {
        this.count(0);
        run.fail(source, error.code, error.message);
        return 'failed';
      }
      return { broken: error as Error };
    }
  }

  private count(sent: number): void {
    this.run.tally.bytes('uploaded', sent - this.counted);
    this.counted = sent;
  }
}

/** Whether the file still is what was registered; notes it when it is not. */
async function isUnchanged(run: ImportRun, { source, sha256 }: HashedFile): Promise<boolean> {
  try {
    if ((await source.sha256(run.signal)) === sha256) return true;
    run.fail(source, 'file_changed', 'The file changed during the import. Run the import again.');
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    run.fail(source, error.code, error.message);
  }
  return false;
}

/**
 * Sends the part of the content that has not arrived, by tus 1.0. `onOffset` is called with what has. Resolves with the response, and rejects
 * as `ImportSource.send` does.
 */
async function continueUpload(
  source: ImportSource,
  { url }: UploadTarget,
  { onOffset, onBytes }: { onOffset: (offset: number) => void; onBytes: (count: number) => void },
  signal: AbortSignal,
): Promise<UploadAnswer> {
  const { status, headers: answered } = await fetch(url, { method: 'HEAD', headers: TUS, signal });
  const start = Number(answered.get('Upload-Offset') ?? Number.NaN);
  const isKnown = status >= 200 && status < 300 && Number.isSafeInteger(start) && start >= 0;
  if (!isKnown) return { status, code: null, message: null };
  onOffset(start);
  if (start >= source.sizeBytes) return { status: 204, code: null, message: null };
  const headers = { ...TUS, 'Upload-Offset': String(start), 'Content-Type': 'application/offset+octet-stream' };
  return source.send({ url, method: 'PATCH', headers, start }, onBytes, signal);
}
