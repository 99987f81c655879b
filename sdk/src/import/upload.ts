import { ConnectionError } from '../errors.js';
import { pause } from '../pause.js';
import type { UploadTarget } from '../resources.js';
import type { ImportRun } from './import-run.js';
import type { HashedFile } from './register.js';
import { FileProblem, type UploadAnswer } from './source.js';

/** `sent`; `stale`: it needs a fresh target; `failed`: it has been noted why. */
export type UploadOutcome = 'sent' | 'stale' | 'failed';

const ATTEMPTS = 8;
/** How often the same bytes are sent although the other side says that they are not what was declared. */
const DOUBTFUL_ATTEMPTS = 2;
/** The target is no good any more, or its item is beyond it. */
const STALE = new Set([401, 403, 404, 409, 410]);
const PASSING = new Set([408, 429, 500, 502, 503, 504, 507]);

/**
 * Sends one file to its target. Rejects with `ConnectionError` when nobody takes it for a minute or two: then the others would fare no better.
 */
export async function upload(run: ImportRun, file: HashedFile, target: UploadTarget): Promise<UploadOutcome> {
  let doubts = 0;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await putOnce(run, file, target);
    if (answer === 'failed') return answer;
    if ('status' in answer) {
      if (answer.status >= 200 && answer.status < 300) return 'sent';
      if (STALE.has(answer.status)) return 'stale';
      if (!PASSING.has(answer.status)) {
        doubts += 1;
        if (!(await isUnchanged(run, file))) return 'failed';
        if (doubts < DOUBTFUL_ATTEMPTS) continue;
        const said = answer.message ?? answer.code ?? `status ${answer.status}`;
        run.fail(file.source, answer.code ?? 'upload_refused', `The upload was refused: ${said}`);
        return 'failed';
      }
    }
    if (attempt >= ATTEMPTS) throw unreachable(target, answer);
    const most = Math.min(30_000, 500 * 2 ** attempt);
    await pause((0.5 + Math.random() / 2) * most, run.signal);
  }
}

type Attempt = UploadAnswer | { readonly broken: Error } | 'failed';

async function putOnce(run: ImportRun, { source }: HashedFile, target: UploadTarget): Promise<Attempt> {
  let sent = 0;
  const onBytes = (count: number) => {
    sent += count;
    run.tally.bytes('uploaded', count);
  };
  try {
    const answer = await source.send(target, onBytes, run.signal);
    const isTaken = answer.status >= 200 && answer.status < 300;
    run.tally.bytes('uploaded', isTaken ? source.sizeBytes - sent : -sent);
    return answer;
  } catch (error) {
    run.tally.bytes('uploaded', -sent);
    run.signal.throwIfAborted();
    if (error instanceof FileProblem) {
      run.fail(source, error.code, error.message);
      return 'failed';
    }
    return { broken: error as Error };
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

function unreachable({ url }: UploadTarget, answer: UploadAnswer | { readonly broken: Error }): ConnectionError {
  const problem = 'status' in answer ? `it responds with ${answer.status}` : answer.broken.message;
  // The path is a secret: whoever has it can upload.
  return new ConnectionError(`Cannot upload to ${new URL(url).origin}: ${problem}.`, {
    cause: 'status' in answer ? undefined : answer.broken,
  });
}
