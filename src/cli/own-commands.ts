import type { Command } from 'commander';
import { blobsCommand } from './blobs-command.js';
import { customerCommand } from './customer-command.js';
import { gcCommand } from './gc-command.js';
import { keyCommand } from './key-command.js';
import { migrateCommand, serveCommand } from './serve-command.js';
import { userCommand } from './user-command.js';
import { verifyCommand } from './verify-command.js';
import { webhookCommand } from './webhook-command.js';

/** What the service can be told to do. */
export function ownCommands(): Command[] {
  return [
    serveCommand(),
    migrateCommand(),
    customerCommand(),
    keyCommand(),
    userCommand(),
    webhookCommand(),
    verifyCommand(),
    gcCommand(),
    blobsCommand(),
  ];
}
