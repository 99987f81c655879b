import { Command, CommanderError } from 'commander';
import { isClientCommand } from 'photo-service-cli/command-names';
import { endWithReader, plain } from 'photo-service-cli/print';
import { ConfigError } from '../config/config.js';
import { NoInstallationError } from '../config/installation.js';
import { VERSION } from '../config/version.js';
import { DomainError, type FieldError } from '../core/shared/errors.js';
import { ExitWith, exitCodes, PartlyDone } from './options.js';

/** Runs one command line. Resolves with the exit code; never throws. */
export async function run(args: readonly string[]): Promise<number> {
  const [name = ''] = args;
  // A service goes on without its log.
  if (!['serve', 'worker'].includes(name)) endWithReader();
  if (['-V', '--version'].includes(name)) {
    console.log(VERSION);
    return exitCodes.ok;
  }
  // For commands of a client the modules of the service are not even loaded.
  const ownModule = isClientCommand(name) ? null : await import('./own-commands.js');
  const own = ownModule?.ownCommands() ?? [];
  // Nor are the client's modules for commands of the service: `serve` has to start fast.
  const isOwn = own.some((command) => command.name() === name);
  const client = isOwn ? null : await import('photo-service-cli/commands');
  const program = new Command('phs')
    .description('Photo Service: a self-hosted HTTP API for the photos of many customers')
    .version(VERSION)
    .exitOverride();
  for (const option of ownModule?.ownOptions() ?? []) program.addOption(option);
  for (const command of [...own, ...(client?.clientCommands() ?? [])]) program.addCommand(command);
  for (const command of everyCommand(program))
    command.exitOverride().showHelpAfterError('(add --help for the options)');
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    if (isOwn) return explain(error, args);
    const forClients = await import('photo-service-cli/explain');
    const known = forClients.explain(error);
    return known ? forClients.tell(known, args) : explain(error, args);
  }
}

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((child) => [child as Command, ...everyCommand(child as Command)]);
}

/** Reports what went wrong, on stderr for people; with `--json` also on stdout, as the one document. */
function explain(error: unknown, args: readonly string[]): number {
  if (error instanceof ExitWith) return error.code;
  if (error instanceof PartlyDone) return exitCodes.partial;
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.ok;
  const { exitCode, code, message } = exitOf(error);
  // Commander has already reported what it refuses.
  if (!(error instanceof CommanderError)) console.error(`phs: ${message.split('\n').map(plain).join('\n')}`);
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify({ error: { code, message } })}\n`);
  return exitCode;
}

function exitOf(error: unknown): { exitCode: number; code: string; message: string } {
  if (error instanceof CommanderError) {
    return { exitCode: exitCodes.usage, code: 'usage', message: error.message.replace(/^error: /, '') };
  }
  if (error instanceof DomainError) {
    const isOurs = error.code === 'service_unavailable';
    return { exitCode: isOurs ? exitCodes.environment : exitCodes.usage, code: error.code, message: messageOf(error) };
  }
  const isNowhere = error instanceof NoInstallationError;
  const code = isNowhere ? 'no_installation' : error instanceof ConfigError ? 'configuration' : 'failed';
  return { exitCode: exitCodes.environment, code, message: error instanceof Error ? error.message : String(error) };
}

function messageOf(error: DomainError): string {
  const fields = (error.details?.['errors'] ?? []) as readonly FieldError[];
  return fields.length === 0 ? error.message : fields.map((field) => field.message).join('\n     ');
}
