import { parentPort, workerData } from 'node:worker_threads';
import { LOADED, type MetadataRequest } from './facts/metadata-reader.js';
import { readMetadata } from './facts/read-metadata.js';

/**
 * A thread of the child, so that metadata which takes endless time, or all memory, costs the metadata only and not the picture
 * (metadata-reader.ts ends it then).
 */

parentPort?.on('message', async ({ id, ...file }: MetadataRequest) => {
  parentPort?.postMessage({ id, metadata: await readMetadata(file).catch(() => null) });
});

// Everything is loaded: from now on time is spent on the file.
parentPort?.postMessage({ id: LOADED, metadata: null });

// A busy child does not notice that its parent is gone; this thread does.
setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, 1000);
