import { hash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { PartlyDone } from 'photo-service-cli/exit-codes';
import { print } from 'photo-service-cli/print';
import { blobStores, outsideStore } from '../composition/blob-stores.js';
import { openBlobs } from '../composition/open-blobs.js';
import { type Config, readSome } from '../config/config.js';
import { EnvironmentReader } from '../config/environment-reader.js';
import { isModulePath } from '../config/settings-file.js';
import type { BlobKey } from '../core/blobs/blob-key.js';
import type { BlobInfo } from '../core/blobs/blob-store.js';
import type { ChosenBlobStore, SettingsReader } from '../core/blobs/blob-store-kind.js';
import { type Compared, copyBlobs } from '../core/blobs/copy-blobs.js';
import { counted } from '../core/shared/text.js';
import { wholeOption } from './options.js';
import { presentInstallation } from './with-ports.js';

export function blobsCommand(): Command {
  const blobs = new Command('blobs').description('the stored bytes');
  blobs
    .command('copy')
    .description('copy all stored bytes to another store; if interrupted, run it again to continue')
    .requiredOption(
      '--to <store>',
      `${urlForms()}, or the path of a module; configured by the settings of that store, or by the same with TO_ in front`,
      (text: string) => {
        if (isModulePath(text) || chosenByUrl(text, new EnvironmentReader({}, [])) !== null) return text;
        throw new InvalidArgumentError(`It must be ${urlForms()}, or the path of a module such as ./my-store.mjs.`);
      },
    )
    .option('--parallel <n>', 'blobs copied at the same time', wholeOption, 8)
    .action(async (options: { to: string; parallel: number; json?: boolean }) => {
      const config = await presentInstallation();
      const target = targetOf(config, options.to);
      const [from, to] = [await openBlobs(config), await openBlobs(target)];
      try {
        const { store, settings } = target.blobStore;
        const name = hash('sha256', `${store.kind} ${store.describe(settings, target.dataDir)}`).slice(0, 12);
        const compared = new ComparedFile(join(config.dataDir, `blobs-compared-${name}`));
        const parallel = Math.max(1, options.parallel);
        const copying = { from: from.blobs, to: to.blobs, compared, parallel };
        const { copied, unchanged, bytes, wrong } = await copyBlobs(copying);
        print(options, { ok: wrong.length === 0, copied, unchanged, bytes, wrong }, [
          `Copied ${counted(copied, 'file')} (${counted(bytes, 'byte')}); ${counted(unchanged, 'was', 'were')} already there. All were compared by SHA-256.`,
          ...wrong.map((key) => `Not the same after copying: ${key}`),
        ]);
        if (wrong.length > 0) throw new PartlyDone();
      } finally {
        from.close();
        to.close();
      }
    });
  return blobs;
}

function urlForms(): string {
  return blobStores.flatMap(({ urlForm }) => urlForm ?? []).join(' or ');
}

function chosenByUrl(text: string, read: SettingsReader): ChosenBlobStore | null {
  if (!URL.canParse(text)) return null;
  for (const store of blobStores) {
    const settings = store.fromUrl?.(new URL(text), read) ?? null;
    if (settings !== null) return { store, settings };
  }
  return null;
}

function targetOf({ limits, dataDir }: Config, to: string): Pick<Config, 'blobStore' | 'dataDir' | 'limits'> {
  // Settings with the prefix TO_ are for the target only.
  const own = Object.entries(process.env).filter(([name]) => name.startsWith('TO_'));
  const env = { ...process.env, ...Object.fromEntries(own.map(([name, value]) => [name.slice('TO_'.length), value])) };
  const blobStore = readSome(env, (read) => {
    if (!isModulePath(to)) return chosenByUrl(to, read);
    const store = outsideStore(to, '--to');
    return { store, settings: store.settings(read) };
  });
  if (blobStore === null) throw new Error(`There is no store ${to}.`);
  return { blobStore, dataDir, limits };
}

/**
 * Records in a file which blobs were found equal, one per line. A line refers to the states of two blobs: when one is rewritten, the line
 * no longer applies. A line that is lost or truncated costs one more comparison.
 */
class ComparedFile implements Compared {
  private readonly known: Set<string>;

  constructor(private readonly file: string) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    this.known = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
  }

  has(key: BlobKey, from: BlobInfo, to: BlobInfo): boolean {
    return this.known.has(lineOf(key, from, to));
  }

  add(key: BlobKey, from: BlobInfo, to: BlobInfo): void {
    const line = lineOf(key, from, to);
    this.known.add(line);
    appendFileSync(this.file, `${line}\n`, { mode: 0o600 });
  }
}

function lineOf(key: BlobKey, from: BlobInfo, to: BlobInfo): string {
  return hash('sha256', JSON.stringify([key, from.sizeBytes, from.etag, to.etag]), 'base64url');
}
