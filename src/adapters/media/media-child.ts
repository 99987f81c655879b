import { systemCode } from '../local-blobs/storage-error.js';
import { inspectPicture } from './inspect-picture.js';
import { type MediaAnswer, type MediaJob, READY } from './media-job.js';
import { MetadataReader } from './metadata-reader.js';
import { renderPicture } from './render-picture.js';
import { restrictSharp } from './sharp-settings.js';

/**
 * A child process that decodes untrusted pictures. It holds no secret, and its end affects no other process. Its argument is the process id
 * of its parent.
 */

restrictSharp();
const parent = Number(process.argv[2]);
const metadata = new MetadataReader(parent);
const loaded = metadata.load();

process.on('message', async (job: MediaJob) => {
  process.send?.(await answer(job));
});

// The parent ends this process. Signals from a terminal or a supervisor to the whole group are for the parent, which may still be waiting
// for a result.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

// The parent is gone. Not exit(), which would wait for a decoder.
const end = () => process.kill(process.pid, 'SIGKILL');
process.on('disconnect', end);
// It may have ended before the listener was added.
if (!process.connected) end();
else loaded.then(() => process.send?.(READY));

async function answer(job: MediaJob): Promise<MediaAnswer> {
  try {
    return job.kind === 'inspect'
      ? { inspection: await inspectPicture(job, (source) => metadata.read(source)) }
      : { rendered: await renderPicture(job) };
  } catch (error) {
    const refused = systemCode(error);
    if (refused !== null) return { unavailable: refused };
    return { failed: error instanceof Error ? `${error.name}: ${error.message}` : 'unknown' };
  }
}
