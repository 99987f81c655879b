import type { Installation } from '../../e2e/support/service.js';

/** A new delivery key of the first customer, made beside the running service. */
export async function newDeliveryKey(installation: Installation): Promise<{ keyId: string; secret: string }> {
  const args = ['delivery-key', 'create', '--customer', '1', '--name', 'gallery', '--json'];
  const { status, stdout, stderr } = await installation.operate(...args);
  if (status !== 0) throw new Error(`no delivery key could be made: ${stderr}`);
  const { id, secret } = JSON.parse(stdout);
  return { keyId: id, secret };
}
