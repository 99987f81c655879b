import type { Command } from 'commander';
import { clientCommands } from '../../cli/src/commands.js';
import { exitCodes } from '../../cli/src/exit-codes.js';
import { ownCommands } from '../../src/cli/own-commands.js';
import { brokenShapes, releasedCommands, type Shape, shapeOf } from '../support/released-commands.js';

interface Described {
  readonly arguments: readonly string[];
  /** By their long names, what follows them. */
  readonly options: Readonly<Record<string, string>>;
}

interface CommandLine {
  readonly exitCodes: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly commands: Readonly<Record<string, Described>>;
}

function describeCommands(commands: readonly Command[], path = ''): [string, Described][] {
  return commands.flatMap((command) => {
    const name = `${path}${command.name()}`;
    if (command.commands.length > 0) return describeCommands(command.commands as Command[], `${name} `);
    const taken = command.registeredArguments.map(
      (each) => `${each.required ? 'required' : 'optional'}${each.variadic ? ' list' : ''}`,
    );
    const options = command.options.map((each): [string, string] => {
      const value = each.required ? 'value' : each.optional ? 'value or none' : 'none';
      return [each.long ?? each.flags, each.mandatory ? `${value}, required` : value];
    });
    return [[name, { arguments: taken, options: Object.fromEntries(options) }]];
  });
}

const current: CommandLine = {
  exitCodes: { client: exitCodes, service: { ...exitCodes } },
  commands: Object.fromEntries(describeCommands([...clientCommands(), ...ownCommands()])),
};

/** What of the command line a script could miss, a sentence each. */
function brokenCommands(released: CommandLine, now: CommandLine): readonly string[] {
  const codes = Object.entries(released.exitCodes).flatMap(([program, all]) =>
    Object.entries(all).flatMap(([name, code]) =>
      now.exitCodes[program]?.[name] === code
        ? []
        : [`The exit code ${name} of the ${program} is not ${code} any more.`],
    ),
  );
  const commands = Object.entries(released.commands).flatMap(([name, was]) => {
    const is = now.commands[name];
    if (is === undefined) return [`phs ${name} was removed.`];
    const lost = Object.entries(was.options).flatMap(([option, value]) =>
      is.options[option] === value
        ? []
        : [`phs ${name} ${option} takes ${is.options[option] ?? 'nothing: it was removed'}.`],
    );
    const demanded = Object.entries(is.options).filter(
      ([option, value]) => value.endsWith('required') && !(option in was.options),
    );
    const args =
      is.arguments.slice(0, was.arguments.length).join() === was.arguments.join() &&
      !is.arguments.slice(was.arguments.length).some((each) => each.startsWith('required'));
    return [
      ...lost,
      ...demanded.map(([option]) => `phs ${name} ${option} is new and required.`),
      ...(args ? [] : [`phs ${name} takes other arguments.`]),
    ];
  });
  return [...codes, ...commands];
}

test('commands, their options and exit codes are those of the last release, or more', () => {
  expect(Object.keys(current.commands).length).toBeGreaterThan(40);
  expect(brokenCommands(releasedCommands('commands', current), current)).toEqual([]);
});

// biome-ignore lint/suspicious/noExplicitAny: tests change what is described wherever they like.
test.each<[string, (line: any) => void]>([
  ['The exit code usage of the client is not 2 any more.', (line) => (line.exitCodes.client.usage = 3)],
  ['phs photos rm was removed.', (line) => delete line.commands['photos rm']],
  ['phs photos rm --yes takes nothing: it was removed.', (line) => delete line.commands['photos rm'].options['--yes']],
  ['phs photos rm --yes takes value.', (line) => (line.commands['photos rm'].options['--yes'] = 'value')],
  [
    'phs photos rm --why is new and required.',
    (line) => (line.commands['photos rm'].options['--why'] = 'value, required'),
  ],
  ['phs photos rm takes other arguments.', (line) => line.commands['photos rm'].arguments.push('required')],
])('%s', (sentence, change) => {
  const changed = structuredClone(current);
  change(changed);
  expect(brokenCommands(current, changed)).toEqual([sentence]);
});

test('a document of --json breaks clients by a removed place or another type, but not by a new place', () => {
  const of = (document: unknown): Record<string, Shape> => ({ 'photos list': shapeOf(document) });
  const released = of({ photos: [{ id: 1, title: null, metadata: { any: 'x' } }], total: 1 });
  expect(brokenShapes(released, of({ photos: [{ id: 2, title: null, metadata: {} }], total: 1, more: true }))).toEqual(
    [],
  );
  expect(brokenShapes(released, of({ photos: [{ id: '1', metadata: {} }] }))).toEqual([
    'phs photos list --json: photos[].id can now be string.',
    'phs photos list --json: photos[].title was removed.',
    'phs photos list --json: total was removed.',
  ]);
});
