import { SECOND } from '../../src/core/shared/clock.js';
import { MemoryBlobStore } from '../../testing/memory/blobs/memory-blob-store.js';
import { MemoryDirectUploads } from '../../testing/memory/blobs/memory-direct-uploads.js';
import { SettableClock } from '../../testing/memory/settable-clock.js';
import { directUploadsContract } from './direct-uploads.contract.js';

directUploadsContract('memory', async () => {
  const clock = new SettableClock();
  const blobs = new MemoryBlobStore(clock);
  const uploads = new MemoryDirectUploads(blobs, clock);
  return {
    uploads,
    blobs,
    send: (url, headers, bytes) => uploads.put(url, headers, bytes),
    // Nothing else is asked of it than to put.
    tryAs: async () => false,
    wait: async (seconds) => clock.pass(seconds * SECOND),
    close: async () => {},
  };
});
