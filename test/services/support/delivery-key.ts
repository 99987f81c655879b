import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Installation } from '../../e2e/support/service.js';

const dist = join(__dirname, '../../../dist');

const script = `
  const { withPorts } = await import(${JSON.stringify(join(dist, 'cli/with-ports.js'))});
  const { createDeliveryKey } = await import(${JSON.stringify(join(dist, 'core/delivery/create-delivery-key.js'))});
  const { operatorFor } = await import(${JSON.stringify(join(dist, 'core/customers/account-caller.js'))});
  const made = await withPorts((ports) =>
    createDeliveryKey(ports, operatorFor(1), { name: 'gallery', presetsOnly: false, expiresAt: null }));
  console.log(JSON.stringify({ keyId: made.key.publicId, secret: made.secret }));
`;

/** A new delivery key of the first customer, made beside the running service. */
export function newDeliveryKey({ dataDir }: Installation): { keyId: string; secret: string } {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`no delivery key could be made: ${stderr}`);
  return JSON.parse(stdout);
}
