import { Command } from 'commander';
import { clientCommands } from '../../cli/src/commands.js';
import { ownCommands, ownOptions } from '../../src/cli/own-commands.js';

/** All commands of the program, with what they would do replaced by a note. */
function program() {
  const ran: string[] = [];
  const phs = new Command('phs');
  for (const option of ownOptions()) phs.addOption(option);
  for (const command of [...ownCommands(), ...clientCommands()]) phs.addCommand(command);
  const visit = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => {} });
    for (const child of command.commands) visit(child as Command);
    if (command.commands.length === 0) command.action(() => void ran.push(command.name()));
  };
  for (const command of phs.commands) visit(command as Command);
  return { phs, ran };
}

function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part) });
  command.outputHelp();
  return text;
}

afterEach(() => {
  delete process.env['PHOTO_SERVICE_PROFILE'];
});

test('commands stand in two groups, those for a library and those for the service', () => {
  const { phs } = program();
  const help = helpOf(phs);
  const [, own = '', client = ''] = /Operate the service:\n(.*)\n\nUse a library:\n(.*)/s.exec(help) ?? [];
  expect(own).toMatch(/^ {2}serve .*^ {2}blobs /ms);
  expect(client).toMatch(/^ {2}login .*^ {2}mcp .*^ {2}completion /ms);
  expect(help).not.toContain('\nCommands:\n  serve');
});

const names = program()
  .phs.commands.map((command) => command.name())
  .filter((name) => name !== 'completion');

test.each(names)('the example of %s is understood', async (name) => {
  const { phs, ran } = program();
  const command = phs.commands.find((each) => each.name() === name) as Command;
  const [, example = ''] = /^Example:\n {2}phs (.+)$/m.exec(helpOf(command)) ?? [];
  expect(example.split(' ')[0]).toBe(name);
  await phs.parseAsync(example.split(' '), { from: 'user' });
  expect(ran).toHaveLength(1);
});
