import { resolve } from 'node:path';
import { Command } from 'commander';
import { print } from 'photo-service-cli/print';
import type { OpenPorts } from '../ports.module.js';
import { BackupFolder } from './backup/backup-folder.js';
import { type Backup, type BackupPlan, makeBackup } from './backup/make-backup.js';
import { PartlyDone } from './exit-codes.js';
import { countOption, listOption, wholeOption } from './options.js';
import { openInstallation, presentInstallation } from './with-ports.js';

interface BackupOptions {
  readonly parallel: number;
  readonly keep?: number;
  readonly recipient?: readonly string[];
  readonly withSecrets?: boolean;
  readonly json?: boolean;
}

export function backupCommand(): Command {
  return new Command('backup')
    .description(
      'back up the database and the photos while the service runs; the next backup into the same folder adds only what is new',
    )
    .argument('<dir>', 'the folder for backups')
    .option('--recipient <keys>', 'encrypt it to these public keys of age (age1…)', listOption)
    .option('--with-secrets', 'include the secret key although the backup is not encrypted')
    .option(
      '--keep <n>',
      'delete what interrupted backups left in the folder and, afterwards, the oldest backups, so that this many are left',
      countOption,
    )
    .option('--parallel <n>', 'photos copied at the same time', wholeOption, 4)
    .option('--json', 'print one JSON document')
    .action(async (dir: string, options: BackupOptions) => {
      const config = await presentInstallation();
      const recipients = options.recipient ?? [];
      // A key that the operator has put into the environment is not stored on a disk that they did not choose for it.
      const withSecret = config.secretKeys === null && (recipients.length > 0 || options.withSecrets === true);
      const open = await openInstallation(config, { create: false });
      try {
        const plan = { root: resolve(dir), parallel: Math.max(1, options.parallel), recipients, withSecret };
        const { keep } = options;
        const { made, removed } = await open.whileAlone(() => makeAndKeep(open, plan, keep));
        const report = { ok: made.problems.length === 0, ...made, removed };
        print(options, report, [...linesAbout(made, config.secretKeys !== null), ...linesAboutRemoved(removed)]);
        if (made.problems.length > 0) throw new PartlyDone();
      } finally {
        await open.close();
      }
    });
}

/** Backups that are interrupted again and again, on a full disk for example, must not fill it further. */
async function makeAndKeep(open: OpenPorts, plan: BackupPlan, keep: number | undefined) {
  if (keep === undefined) return { made: await makeBackup(open, plan), removed: [] };
  await BackupFolder.removeUnfinished(plan.root);
  const made = await makeBackup(open, plan);
  return { made, removed: await BackupFolder.keepNewest(plan.root, keep) };
}

function linesAboutRemoved(names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`Deleted the older backups ${names.join(', ')}.`];
}

function linesAbout(made: Backup, secretIsInEnvironment: boolean): string[] {
  const { rows, copied, unchanged, bytes, deleted, problems, signedBy } = made;
  return [
    `Backup ${made.name}: ${rows} rows, ${copied} new files (${bytes} bytes), ${unchanged} files already backed up.`,
    `Signed by ${signedBy}. Note this key: phs restore --signed-by compares it.`,
    ...(made.hasSecret || secretIsInEnvironment
      ? []
      : [
          'It does not contain the secret key, because it is not encrypted: --recipient encrypts it, --with-secrets includes the key anyway.',
        ]),
    ...(deleted > 0
      ? [`${deleted} photos were permanently deleted during the backup; a restore leaves them out.`]
      : []),
    ...problems.map(
      ({ key, why, id, customerId }) => `${key} of photo ${id} (customer ${customerId}) is ${why}. See phs verify.`,
    ),
  ];
}
