// The SHA-256 of files, by a worker.

interface Waiting {
  readonly resolve: (hash: string) => void;
  readonly reject: (error: Error) => void;
}

export class FileHasher {
  private worker: Worker | null = null;
  private last = 0;
  private readonly waiting = new Map<number, Waiting>();

  /** 64 hex digits. Rejects when the file cannot be read (any more). */
  hash(file: File): Promise<string> {
    const worker = this.worker ?? this.start();
    this.last += 1;
    const id = this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, file });
    });
  }

  private start(): Worker {
    const worker = new Worker(new URL('./hash-worker.js', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data: { id, hash, error } }) => {
      const asked = this.waiting.get(id);
      this.waiting.delete(id);
      if (hash) asked?.resolve(hash);
      else asked?.reject(new Error(error));
    });
    worker.addEventListener('error', () => {
      for (const { reject } of this.waiting.values()) reject(new Error('this browser could not read the files'));
      this.waiting.clear();
    });
    this.worker = worker;
    return worker;
  }
}
