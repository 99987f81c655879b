// What commands use without opening the ports of an installation: they do not name adapters.
import { HttpWebhookSender } from '../adapters/webhooks/http-webhook-sender.js';
import type { WebhookSender } from '../core/webhooks/webhook-sender.js';

export { ageDecryption, ageEncryption, ephemeralKey } from '../adapters/age/age-encryption.js';
export { makeFolders } from '../adapters/data-dir.js';
export { binariesOfDatabase } from '../adapters/embedded-postgres.js';
export { readSecretFile, writeSecretFile } from '../adapters/secret-file.js';
export { syncFolder } from '../adapters/sync-folder.js';

/** Sends to any address, this machine's included, and shows what it answers: for whoever operates the service, at their own terminal. */
export function localWebhookSender(): WebhookSender {
  return new HttpWebhookSender({ allowPrivate: true, readPrivate: true });
}
