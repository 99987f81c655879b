import { Command } from 'commander';
import { print } from 'photo-service-cli/print';
import { collectGarbage, GRACE_SECONDS } from '../core/integrity/collect-garbage.js';
import { wholeOption } from './options.js';
import { withPorts } from './with-ports.js';

interface GcOptions {
  readonly grace: number;
  readonly json?: boolean;
}

export function gcCommand(): Command {
  return new Command('gc')
    .description('remove stored bytes that are not owned by anything (the running service does so automatically)')
    .option('--grace <seconds>', 'keep what is younger than this', wholeOption, GRACE_SECONDS)
    .option('--json', 'print one JSON document')
    .action(async (options: GcOptions) => {
      const { bytes, ...removed } = await withPorts((ports) => collectGarbage(ports, { graceSeconds: options.grace }));
      const { staging, originals, renditions } = removed;
      print(options, { ok: true, graceSeconds: options.grace, removed, bytes }, [
        staging + originals + renditions === 0
          ? 'Nothing to remove.'
          : `Removed ${staging} staged files, ${originals} originals and ${renditions} renditions without an owner: ${bytes} bytes.`,
      ]);
    });
}
