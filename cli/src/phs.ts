#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { everyCommand } from './command-names.js';
import { clientCommands } from './commands.js';
import { exitCodes } from './exit-codes.js';
import { explain } from './explain.js';
import { endWithReader, tell } from './print.js';

process.exitCode = await run(process.argv.slice(2));

/** Runs one command line. Resolves with the exit code; never throws. */
async function run(args: readonly string[]): Promise<number> {
  endWithReader();
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const program = new Command('phs').description('Command line client of Photo Service').version(version);
  for (const command of clientCommands()) program.addCommand(command);
  for (const command of [program, ...everyCommand(program)]) {
    command.exitOverride().showHelpAfterError('(add --help for the options)');
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    const { code = 'failed', message = String(error) } = error as NodeJS.ErrnoException;
    return tell(explain(error) ?? { exitCode: exitCodes.environment, message, code }, args);
  }
}
