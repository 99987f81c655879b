import { BatchedImportSteps } from '../../src/adapters/batched-import-steps.js';
import { CachedVerifiedBlobs } from '../../src/adapters/cached-verified-blobs.js';
import { RenditionMaker } from '../../src/core/photos/renditions/make.js';
import type { Ports, Uses } from '../../src/core/ports.js';
import { PlainImportSteps } from '../memory/plain-import-steps.js';
import { PlainVerifiedBlobs } from '../memory/plain-verified-blobs.js';

type InProcess = Uses<'importSteps' | 'verifiedBlobs' | 'renditionMaker'>;

/**
 * Adds the ports that a process makes from its others.
 * @param isPlain Whether in their plain form, which does everything by itself; otherwise as PortsModule does.
 */
export function withInProcess<P extends Omit<Ports, keyof InProcess>>(
  ports: P,
  { isPlain = true }: { readonly isPlain?: boolean } = {},
): P & InProcess {
  const { blobs, clock } = ports;
  const verifiedBlobs = isPlain ? new PlainVerifiedBlobs(blobs) : new CachedVerifiedBlobs(blobs, clock);
  return {
    ...ports,
    verifiedBlobs,
    importSteps: isPlain ? new PlainImportSteps(ports) : new BatchedImportSteps(ports),
    renditionMaker: new RenditionMaker({ ...ports, verifiedBlobs }),
  };
}
