import type { ImportSource } from '../import/source.js';
import { fileSource, type LocalFile } from './file-source.js';
import { HashPool } from './hash-pool.js';
import { Connections } from './put-file.js';
import { type StreamedFile, streamSource } from './stream-source.js';

/** Makes what `runImport` takes, and holds what the sources of a run share: threads for hashing, and connections. Close it after the run. */
export class SourceFactory {
  private readonly pool = new HashPool();
  private readonly connections = new Connections();

  file(file: LocalFile): ImportSource {
    return fileSource(file, { pool: this.pool, connections: this.connections });
  }

  stream(file: StreamedFile): ImportSource {
    return streamSource(file, { connections: this.connections });
  }

  async close(): Promise<void> {
    this.connections.close();
    await this.pool.close();
  }
}
