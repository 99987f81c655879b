import { Command } from 'commander';
import { requireInstallation } from '../composition/require-installation.js';
import { readConfig } from '../config/config.js';
import { PrimaryFile } from '../start/processes/primary-file.js';
import { printInstallation } from './with-ports.js';

export function reloadCommand(): Command {
  return new Command('reload')
    .description('replace the processes of a running service (PROCESSES) one after another, without failing a request')
    .action(async () => {
      const config = readConfig(process.env);
      await requireInstallation(config);
      printInstallation(config);
      // There, any signal ends a process.
      if (process.platform === 'win32')
        throw new Error('Processes cannot be replaced on Windows: restart the service.');
      const pid = await new PrimaryFile(config).find();
      if (pid === null) {
        throw new Error(
          `No service with several processes that was started outside a terminal is running on port ${config.port}: restart the service instead.`,
        );
      }
      process.kill(pid, 'SIGHUP');
      console.log('The processes are being replaced. The log says "all processes were replaced" when it is done.');
    });
}
