import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Command } from 'commander';
import { UsageError } from '../exit-codes.js';
import { clientOf, currentLogin } from '../login.js';
import { namesOption } from '../options.js';

export function mcpCommand(): Command {
  return new Command('mcp')
    .description('serve the library to an AI agent, by the Model Context Protocol over standard input and output')
    .option('--write', 'let the agent import, edit, tag and trash photos, not only read')
    .option(
      '--folder <path>',
      'a folder that the agent may import from (repeatable; default: the current one)',
      namesOption,
    )
    .action(async (options: { write?: boolean; folder?: readonly string[] }, command: Command) => {
      const { write = false, folder = ['.'] } = options;
      for (const path of folder) {
        const isFolder = (await stat(path).catch(() => null))?.isDirectory();
        if (!isFolder) throw new UsageError(`There is no folder ${path}.`);
      }
      const login = await currentLogin();
      // Only this command needs the protocol.
      const { agentServer, serveOnStdio } = await import('./agent-server.js');
      await serveOnStdio(
        agentServer({
          client: clientOf(login, { maxRetries: 0 }),
          patientClient: clientOf(login),
          login,
          folders: folder.map((path) => resolve(path)),
          version: command.parent?.version() ?? '',
          write,
        }),
      );
    });
}
