import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject, sign, verify } from 'node:crypto';
import { base64url, fromBase64url, joined } from '../shared/bytes.js';
import type { Secrets } from '../shared/secrets.js';

/** Bound into every signature, so that it means nothing for other texts. */
const PURPOSE = new TextEncoder().encode('photo-service backup\n');

/** DER of an Ed25519 private key up to the 32 bytes of the key itself (RFC 8410 §7). */
const PRIVATE = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

const PREFIX = 'phsb1_';
const KEY = /^phsb1_[A-Za-z0-9_-]{43}$/;
const SIGNATURE_BYTES = 64;

/** An Ed25519 signature, and the public key that checks it, in a spelling that people can write down and compare. */
export interface BackupSignature {
  readonly signedBy: string;
  readonly signature: string;
}

/** Signs with the key of the installation, which is derived from the newest of its secrets. */
export function signBackup(secrets: Secrets, text: Uint8Array): BackupSignature {
  const key = privateKey(secrets[0]);
  return { signedBy: publicName(key), signature: base64url(sign(null, joined(PURPOSE, text), key)) };
}

/** The public keys of an installation, newest first. */
export function backupKeys(secrets: Secrets): readonly string[] {
  return secrets.map((secret) => publicName(privateKey(secret)));
}

export function isBackupKey(text: string): boolean {
  return KEY.test(text);
}

/** Whether the key that the signature names made it. Whether that key is to be trusted is for the caller to say. */
export function isSigned({ signedBy, signature }: BackupSignature, text: Uint8Array): boolean {
  const bytes = fromBase64url(signature);
  if (!isBackupKey(signedBy) || bytes?.length !== SIGNATURE_BYTES) return false;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: signedBy.slice(PREFIX.length) };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return verify(null, joined(PURPOSE, text), key, bytes);
}

function privateKey(secret: string): KeyObject {
  const seed = new Uint8Array(hkdfSync('sha256', secret, '', 'backup signature', 32));
  const der = btoa(String.fromCharCode(...joined(PRIVATE, seed)));
  return createPrivateKey(`-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`);
}

function publicName(key: KeyObject): string {
  return `${PREFIX}${createPublicKey(key).export({ format: 'jwk' }).x}`;
}

/** The end of a backup's name until the backup is complete, and again while it is being removed. */
export const UNFINISHED = '.unfinished';

/** The folder of a backup, after the time of its snapshot: names sort by time, and every file system takes them. */
export function backupName(at: Date): string {
  return at.toISOString().replaceAll(':', '-');
}

/** Null if no complete backup is called so. */
export function timeOfBackup(name: string): Date | null {
  const at = new Date(name.replace(/^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)/, '$1:$2:$3'));
  return !Number.isNaN(at.getTime()) && backupName(at) === name ? at : null;
}
