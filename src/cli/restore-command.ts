import { resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { print } from 'photo-service-cli/print';
import { readConfig } from '../config/config.js';
import { refuseBeforeFirstRelease } from '../core/backup/before-first-release.js';
import { isBackupKey } from '../core/backup/signature.js';
import { checkSigner, chooseBackup, openEncryption, wrongBlobs } from './backup/check-backup.js';
import { type Restored, restoreBackup } from './backup/restore-backup.js';
import { PartlyDone } from './exit-codes.js';
import { wholeOption } from './options.js';
import { printInstallation } from './with-ports.js';

interface RestoreOptions {
  readonly at?: string;
  readonly identity?: string;
  readonly signedBy?: string;
  readonly check?: boolean;
  readonly leaveOutDamaged?: boolean;
  readonly parallel: number;
  readonly json?: boolean;
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description(
      'restore a backup into the empty database and blob store of the environment; if interrupted, run it again',
    )
    .argument('<dir>', 'the folder of backups')
    .option('--at <name>', 'the backup to restore (default: the newest complete one)')
    .option('--identity <file>', 'what decrypts it: a file of age-keygen')
    .option('--signed-by <key>', 'the key that must have signed it (default: that of this installation)', signerOption)
    .option('--check', 'only compare every file with the signed list; an encrypted backup needs no identity for it')
    .option('--leave-out-damaged', 'restore everything else when files of photos are missing or damaged')
    .option('--parallel <n>', 'photos restored at the same time', wholeOption, 4)
    .option('--json', 'print one JSON document')
    .action(async (dir: string, options: RestoreOptions) => {
      const config = readConfig(process.env);
      if (!options.check) printInstallation(config);
      const folder = await chooseBackup(resolve(dir), options.at);
      const { manifest, signedBy } = await folder.manifest();
      console.error(`phs: ${await checkSigner(config, signedBy, options.signedBy)}`);
      if (!options.check) refuseBeforeFirstRelease('backup', manifest.schema.migrations);
      await folder.check(manifest);
      const decrypt = options.check ? null : await openEncryption(folder, manifest, options.identity);
      const parallel = Math.max(1, options.parallel);
      const damaged = await wrongBlobs(folder, manifest, parallel);
      if (damaged.length > 0 && !options.leaveOutDamaged) throw new Error(refusal(damaged));
      if (options.check) {
        const lines = damaged.length > 0 ? damaged : [`${folder.name} is complete, and nothing in it was altered.`];
        print(options, { ok: damaged.length === 0, name: folder.name, signedBy, damaged }, lines);
        if (damaged.length > 0) throw new PartlyDone();
        return;
      }
      const restored = await restoreBackup(config, { folder, manifest, decrypt, parallel });
      const ok = restored.wrong.length === 0;
      print(
        options,
        { ok, name: folder.name, ...restored },
        linesAbout(folder.name, restored, manifest.secret !== null),
      );
      if (!ok) throw new PartlyDone();
    });
}

function signerOption(text: string): string {
  if (!isBackupKey(text)) throw new InvalidArgumentError('It must be a key that phs backup has printed: phsb1_…');
  return text;
}

/** Of a broken disk, nobody wants to read every file. */
const NAMED = 20;

function refusal(damaged: readonly string[]): string {
  const more = damaged.length > NAMED ? [`and ${damaged.length - NAMED} more files.`] : [];
  const named = damaged.slice(0, NAMED).map((file) => `${file}.`);
  return [...named, ...more, 'Nothing was written. --leave-out-damaged restores everything else.'].join('\n');
}

function linesAbout(name: string, restored: Restored, hasSecret: boolean): string[] {
  return [
    `Restored ${name}: ${restored.rows} rows and ${restored.files} files (${restored.bytes} bytes).`,
    ...(restored.leftOut > 0
      ? [`${restored.leftOut} photos and items have no bytes in the backup and were left out.`]
      : []),
    ...restored.wrong.map(
      (key) => `The backup lacks ${key}, or its bytes have changed: phs verify --repair marks its photo.`,
    ),
    ...(hasSecret ? [] : ['Set SECRET_KEY to its previous value: the backup does not contain it.']),
    'Run phs verify before you start the service.',
  ];
}
