import { backupKeys, isBackupKey, isSigned, signBackup } from '../../src/core/backup/signature.js';
import type { Secrets } from '../../src/core/shared/secrets.js';

const secrets: Secrets = ['n'.repeat(32), 'o'.repeat(32)];
const text = new TextEncoder().encode('{"format": 2}');

test('the newest secret signs backups, and its public key stays the same', () => {
  const signed = signBackup(secrets, text);
  expect(isSigned(signed, text)).toBe(true);
  expect(backupKeys(secrets)).toEqual([signed.signedBy, signBackup([secrets[1] ?? ''], text).signedBy]);
  expect(isBackupKey(signed.signedBy)).toBe(true);
  // Known since the first signed backup: another derivation would make all of them look foreign.
  expect(signed.signedBy).toBe('phsb1_C2alxMuGVNeoM6BESYujXz4OT17mJseta2brtNwc4l4');
});

test('a backup signature fails for any other text, key or signature, however it is misspelt', () => {
  const signed = signBackup(secrets, text);
  const other = signBackup(['x'.repeat(32)], text);
  for (let at = 0; at < text.length; at += 1) expect(isSigned(signed, text.with(at, 0))).toBe(false);
  expect(isSigned({ ...signed, signedBy: other.signedBy }, text)).toBe(false);
  expect(isSigned({ ...signed, signature: other.signature }, text)).toBe(false);
  for (const wrong of ['', 'phsb1_', `${signed.signedBy}A`, `phsb2_${signed.signedBy.slice(6)}`]) {
    expect([wrong, isBackupKey(wrong), isSigned({ ...signed, signedBy: wrong }, text)]).toEqual([wrong, false, false]);
  }
  for (const wrong of ['', 'A', signed.signature.slice(1), `${signed.signature}A`]) {
    expect([wrong, isSigned({ ...signed, signature: wrong }, text)]).toEqual([wrong, false]);
  }
});
