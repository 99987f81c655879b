import { ReadableStream } from 'node:stream/web';
import type { Conversion } from '../../core/backup/blob-backup.js';

/** Loaded only when used: most commands encrypt nothing. */
const library = () => import('age-encryption');

/**
 * Encrypts to public keys in the format of age, 64 KiB at a time.
 * @param recipients `age1…`. Errors: an Error for one that is not a public key.
 */
export async function ageEncryption(recipients: readonly string[]): Promise<Conversion> {
  const encrypter = new (await library()).Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new Error(`${recipient} is not a public key of age, which begins with age1. Create one with: age-keygen`);
    }
  }
  return (bytes) => converted(bytes, (stream) => encrypter.encrypt(stream));
}

/**
 * Decrypts what was encrypted to one of the identities. Errors of reading: an Error for a file that none of them opens, that was altered,
 * or that ends too early.
 * @param file The text of an identity file as age-keygen writes it. Errors: an Error when it contains none.
 */
export async function ageDecryption(file: string): Promise<Conversion> {
  const decrypter = new (await library()).Decrypter();
  const identities = file.split('\n').flatMap((line) => (/^AGE-SECRET-KEY-/.test(line) ? [line.trim()] : []));
  if (identities.length === 0) throw new Error('The identity file has no line that begins with AGE-SECRET-KEY-.');
  for (const identity of identities) decrypter.addIdentity(identity);
  return (bytes) => converted(bytes, (stream) => decrypter.decrypt(stream));
}

/** A key for what this process encrypts and reads again itself. */
export async function ephemeralKey(): Promise<{ encrypt: Conversion; decrypt: Conversion }> {
  const { generateX25519Identity, identityToRecipient } = await library();
  const identity = await generateX25519Identity();
  return {
    encrypt: await ageEncryption([await identityToRecipient(identity)]),
    decrypt: await ageDecryption(identity),
  };
}

/** The streams of the library are those of browsers, whose types are not those of Node. */
type BytesStream = globalThis.ReadableStream<Uint8Array>;

async function* converted(
  bytes: AsyncIterable<Uint8Array>,
  convert: (stream: BytesStream) => Promise<BytesStream>,
): AsyncIterable<Uint8Array> {
  const stream = await convert(ReadableStream.from(bytes) as unknown as BytesStream);
  yield* stream as unknown as AsyncIterable<Uint8Array>;
}
