// The SHA-256 of files, by a worker.

let worker = null;
let last = 0;
const waiting = new Map();

/** 64 hex digits. Rejects when the file cannot be read (any more). @returns {Promise<string>} */
export function hashOf(file) {
  worker ??= startWorker();
  last += 1;
  const id = last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, file });
  });
}

function startWorker() {
  const started = new Worker(new URL('./hash-worker.js', import.meta.url), { type: 'module' });
  started.addEventListener('message', ({ data: { id, hash, error } }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (hash) resolve(hash);
    else reject(new Error(error));
  });
  started.addEventListener('error', () => {
    for (const { reject } of waiting.values()) reject(new Error('this browser could not read the files'));
    waiting.clear();
  });
  return started;
}
