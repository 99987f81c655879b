import { Command, CommanderError } from 'commander';
import { clientCommandNames, everyCommand } from 'photo-service-cli/command-names';
import { exitCodes, PartlyDone } from 'photo-service-cli/exit-codes';
import { type Explanation, endWithReader, tell } from 'photo-service-cli/print';
import { ConfigError } from '../config/config.js';
import { NoInstallationError } from '../config/installation.js';
import { VERSION } from '../config/version.js';
import { DomainError, type FieldError } from '../core/shared/errors.js';
import { ExitWith } from './options.js';

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
  const isClients = clientCommandNames.some((each) => each === name);
  const ownModule = isClients ? null : await import('./own-commands.js');
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
    const forClients = isOwn ? null : await import('photo-service-cli/explain');
    return tell(forClients?.explain(error) ?? explain(error), args);
  }
}

/** The failure of a command of the service. */
function explain(error: unknown): Explanation {
  if (error instanceof ExitWith) return { exitCode: error.code, message: null, code: 'said' };
  if (error instanceof PartlyDone) return { exitCode: exitCodes.partial, message: null, code: 'partial' };
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return { exitCode: exitCodes.ok, message: null, code: 'ok' };
    // Commander has already reported what it refuses.
    const message = error.message.replace(/^error: /, '');
    return { exitCode: exitCodes.usage, message, code: 'usage', isSaid: true };
  }
  if (error instanceof DomainError) {
    const isOurs = error.code === 'service_unavailable';
    const fields = (error.details?.['errors'] ?? []) as readonly FieldError[];
    const message = fields.length === 0 ? error.message : fields.map((field) => field.message).join('\n     ');
    return { exitCode: isOurs ? exitCodes.environment : exitCodes.usage, message, code: error.code };
  }
  const isNowhere = error instanceof NoInstallationError;
  const code = isNowhere ? 'no_installation' : error instanceof ConfigError ? 'configuration' : 'failed';
  return { exitCode: exitCodes.environment, message: error instanceof Error ? error.message : String(error), code };
}
