import { BatchedImportSteps } from '../../src/adapters/decorators/batched-import-steps.js';
import { CachedVerifiedBlobs } from '../../src/adapters/decorators/cached-verified-blobs.js';
import { type RenditionLeases, SharedRenditionMaker } from '../../src/adapters/decorators/shared-rendition-maker.js';
import { renditionMaking } from '../../src/core/photos/renditions/make.js';
import type { Ports, Uses } from '../../src/core/ports.js';
import { MemoryRenditionLeases } from '../../testing/memory/photos/memory-renditions.js';

type InProcess = Uses<'importSteps' | 'verifiedBlobs' | 'renditionMaker'>;

/** Adds the ports that a process makes from its others, as `PortsModule` makes them. */
export function asInProduction<P extends Omit<Ports, keyof InProcess>>(
  ports: P,
  leases: RenditionLeases = new MemoryRenditionLeases(),
): P & InProcess {
  const verifiedBlobs = new CachedVerifiedBlobs(ports.blobs, ports.clock);
  const renditionMaker = new SharedRenditionMaker(renditionMaking({ ...ports, verifiedBlobs }), leases, ports.clock);
  return { ...ports, verifiedBlobs, renditionMaker, importSteps: new BatchedImportSteps(ports) };
}
