#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { clientCommands } from './commands.js';
import { exitCodes } from './exit-codes.js';
import { type Explanation, explain, tell } from './explain.js';
import { endWithReader } from './print.js';

process.exitCode = await run(process.argv.slice(2));

/** Runs one command line. Resolves with the exit code; never throws. */
async function run(args: readonly string[]): Promise<number> {
  endWithReader();
  const program = new Command('phs').description('Command line client of Photo Service').version(version());
  for (const command of clientCommands()) program.addCommand(command);
  for (const command of [program, ...everyCommand(program)]) {
    command.exitOverride().showHelpAfterError('(add --help for the options)');
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return tell(explain(error) ?? unexplained(error), args);
  }
}

function unexplained(error: unknown): Explanation {
  const { code = 'failed', message } = error as NodeJS.ErrnoException;
  return { exitCode: exitCodes.environment, message: message ?? String(error), code };
}

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((child) => [child as Command, ...everyCommand(child as Command)]);
}

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
