// The SHA-256 of files, by a worker.

interface Waiting {
  readonly resolve: (hash: string) => void;
  readonly reject: (error: Error) => void;
}

let worker: Worker | null = null;
let last = 0;
const waiting = new Map<number, Waiting>();

/** 64 hex digits. Rejects when the file cannot be read (any more). */
export function hashOf(file: File): Promise<string> {
  const started = worker ?? startWorker();
  worker = started;
  last += 1;
  const id = last;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    started.postMessage({ id, file });
  });
}

function startWorker(): Worker {
  const started = new Worker(new URL('./hash-worker.js', import.meta.url), { type: 'module' });
  started.addEventListener('message', ({ data: { id, hash, error } }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (hash) asked?.resolve(hash);
    else asked?.reject(new Error(error));
  });
  started.addEventListener('error', () => {
    for (const { reject } of waiting.values()) reject(new Error('this browser could not read the files'));
    waiting.clear();
  });
  return started;
}
