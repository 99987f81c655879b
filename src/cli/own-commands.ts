import type { Command } from 'commander';
import { backupCommand } from './backup-command.js';
import { blobsCommand } from './blobs-command.js';
import { customerCommand } from './customer-command.js';
import { doctorCommand } from './doctor-command.js';
import { gcCommand } from './gc-command.js';
import { keyCommand } from './key-command.js';
import { restoreCommand } from './restore-command.js';
import { migrateCommand, serveCommand } from './serve-command.js';
import { userCommand } from './user-command.js';
import { verifyCommand } from './verify-command.js';
import { webhookCommand } from './webhook-command.js';

/** What the service can be told to do. */
export function ownCommands(): Command[] {
  return [
    serveCommand(),
    migrateCommand(),
    doctorCommand(),
    customerCommand(),
    keyCommand(),
    userCommand(),
    webhookCommand(),
    verifyCommand(),
    gcCommand(),
    backupCommand(),
    restoreCommand(),
    blobsCommand(),
  ];
}
