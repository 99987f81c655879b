import type { Command } from 'commander';

/** The commands of a client, which works through the API. The service's own `phs` loads none of its modules for these. */
export const clientCommandNames = [
  'login',
  'whoami',
  'import',
  'photos',
  'tags',
  'download',
  'sync',
  'export',
  'mcp',
  'demo',
] as const;
export type ClientCommandName = (typeof clientCommandNames)[number];

/** Returns an example as the help of a command shows it. */
export function exampleText(example: string): string {
  return `\nExample:\n  ${example}`;
}

export function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((child) => [child as Command, ...everyCommand(child as Command)]);
}
