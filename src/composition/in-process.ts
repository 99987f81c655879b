import { BlobCache } from '../core/blobs/blob-cache.js';
import { VerifiedBlobs } from '../core/blobs/verified-blobs.js';
import { ImportBatchers } from '../core/imports/batchers.js';
import { RenditionMaker } from '../core/photos/renditions/make.js';
import type { Ports, Uses } from '../core/ports.js';

export type InProcess = Uses<'importBatchers' | 'blobCache' | 'verifiedBlobs' | 'renditionMaker'>;
export type FromOutside = Omit<Ports, keyof InProcess>;

/** What a process has one of, made from what it got from outside: requests and jobs meet there, and so does nothing else in memory. */
export function withInProcess<P extends FromOutside>(ports: P): P & InProcess {
  const verifiedBlobs = new VerifiedBlobs();
  return {
    ...ports,
    verifiedBlobs,
    importBatchers: new ImportBatchers(ports),
    blobCache: new BlobCache(ports.blobs, ports.clock),
    renditionMaker: new RenditionMaker({ ...ports, verifiedBlobs }),
  };
}
