import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.js';
import { DomainError, type FieldError } from '../core/shared/errors.js';
import { backupCommand } from './backup-command.js';
import { blobsCommand } from './blobs-command.js';
import { customerCommand } from './customer-command.js';
import { doctorCommand } from './doctor-command.js';
import { ExitWith, exitCodes, PartlyDone } from './exit-codes.js';
import { gcCommand } from './gc-command.js';
import { keyCommand } from './key-command.js';
import { restoreCommand } from './restore-command.js';
import { migrateCommand, serveCommand } from './serve-command.js';
import { userCommand } from './user-command.js';
import { verifyCommand } from './verify-command.js';
import { VERSION } from './version.js';
import { webhookCommand } from './webhook-command.js';

/** Runs one command line. Resolves with the exit code; never throws. */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Command('phs')
    .description('Photo Service: a self-hosted HTTP API for the photos of many customers')
    .version(VERSION)
    .exitOverride()
    .addCommand(serveCommand())
    .addCommand(migrateCommand())
    .addCommand(doctorCommand())
    .addCommand(customerCommand())
    .addCommand(keyCommand())
    .addCommand(userCommand())
    .addCommand(webhookCommand())
    .addCommand(verifyCommand())
    .addCommand(gcCommand())
    .addCommand(backupCommand())
    .addCommand(restoreCommand())
    .addCommand(blobsCommand());
  for (const command of everyCommand(program))
    command.exitOverride().showHelpAfterError('(add --help for the options)');
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return explain(error);
  }
}

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((child) => [child as Command, ...everyCommand(child as Command)]);
}

function explain(error: unknown): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  }
  if (error instanceof ExitWith) return error.code;
  if (error instanceof PartlyDone) return exitCodes.partial;
  if (error instanceof DomainError) {
    console.error(`phs: ${messageOf(error)}`);
    return error.code === 'service_unavailable' ? exitCodes.environment : exitCodes.usage;
  }
  if (error instanceof ConfigError) console.error(`phs: ${error.message}`);
  else console.error(`phs: ${error instanceof Error ? error.message : String(error)}`);
  return exitCodes.environment;
}

function messageOf(error: DomainError): string {
  const fields = (error.details?.['errors'] ?? []) as readonly FieldError[];
  return fields.length === 0 ? error.message : fields.map((field) => field.message).join('\n     ');
}
