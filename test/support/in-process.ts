import { BlobCache } from '../../src/core/blobs/blob-cache.js';
import { VerifiedBlobs } from '../../src/core/blobs/verified-blobs.js';
import { ImportBatchers } from '../../src/core/imports/batchers.js';
import { RenditionMaker } from '../../src/core/photos/renditions/make.js';
import type { Ports, Uses } from '../../src/core/ports.js';

type InProcess = Uses<'importBatchers' | 'blobCache' | 'verifiedBlobs' | 'renditionMaker'>;

/** Adds what a process makes from its other ports, as PortsModule does. */
export function withInProcess<P extends Omit<Ports, keyof InProcess>>(ports: P): P & InProcess {
  const verifiedBlobs = new VerifiedBlobs();
  return {
    ...ports,
    verifiedBlobs,
    importBatchers: new ImportBatchers(ports),
    blobCache: new BlobCache(ports.blobs, ports.clock),
    renditionMaker: new RenditionMaker({ ...ports, verifiedBlobs }),
  };
}
