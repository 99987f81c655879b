import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { print } from 'photo-service-cli/print';
import { openBlobs } from '../composition/open-blobs.js';
import { type Config, readS3Place } from '../config/config.js';
import { copyBlobs } from '../core/blobs/copy-blobs.js';
import { ComparedFile } from './compared-file.js';
import { PartlyDone } from './exit-codes.js';
import { wholeOption } from './options.js';
import { presentInstallation } from './with-ports.js';

export function blobsCommand(): Command {
  return new Command('blobs').description('the stored bytes').addCommand(copy());
}

interface CopyOptions {
  readonly to: URL;
  readonly parallel: number;
  readonly json?: boolean;
}

function copy(): Command {
  return new Command('copy')
    .description('copy all stored bytes to another store; if interrupted, run it again to continue')
    .requiredOption(
      '--to <url>',
      's3://BUCKET, configured by S3_* or TO_S3_* if set; or file:///FOLDER, a DATA_DIR',
      storeOption,
    )
    .option('--parallel <n>', 'blobs copied at the same time', wholeOption, 8)
    .option('--json', 'print one JSON document')
    .action(async (options: CopyOptions) => {
      const config = await presentInstallation();
      const target = targetOf(config, options.to);
      const [from, to] = [await openBlobs(config), await openBlobs(target)];
      try {
        const compared = new ComparedFile(join(config.dataDir, `blobs-compared-${nameOf(target)}`));
        const parallel = Math.max(1, options.parallel);
        const copying = { from: from.blobs, to: to.blobs, compared, parallel };
        const { copied, unchanged, bytes, wrong } = await copyBlobs(copying);
        print(options, { ok: wrong.length === 0, copied, unchanged, bytes, wrong }, [
          `Copied ${copied} files (${bytes} bytes); ${unchanged} were already there. All were compared by SHA-256.`,
          ...wrong.map((key) => `Not the same after copying: ${key}`),
        ]);
        if (wrong.length > 0) throw new PartlyDone();
      } finally {
        from.close();
        to.close();
      }
    });
}

function storeOption(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol === 's3:' && url.host !== '' && /^\/?$/.test(url.pathname)) return url;
  if (url?.protocol === 'file:' && url.host === '') return url;
  throw new InvalidArgumentError('It must be s3://BUCKET or file:///FOLDER.');
}

type Target = Pick<Config, 's3' | 'dataDir' | 'limits'>;

function targetOf({ limits, dataDir }: Config, url: URL): Target {
  if (url.protocol === 'file:') return { s3: null, dataDir: fileURLToPath(url), limits };
  // Settings with the prefix TO_ are for the target only.
  const own = Object.entries(process.env).filter(([name]) => name.startsWith('TO_S3_'));
  const place = readS3Place({
    ...process.env,
    ...Object.fromEntries(own.map(([name, value]) => [name.slice('TO_'.length), value])),
  });
  return { s3: { ...place, bucket: url.host, publicEndpoint: null }, dataDir, limits };
}

/** Distinguishes targets. */
function nameOf({ s3, dataDir }: Target): string {
  const place = s3 === null ? dataDir : `${s3.endpoint} ${s3.region} ${s3.bucket}`;
  return createHash('sha256').update(place).digest('hex').slice(0, 12);
}
