import { Command, type Help } from 'commander';
import { clientCommands } from './commands.js';
import { exitCodes } from './exit-codes.js';

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'success',
  partial: 'partial success, with the reason for each failure',
  usage: 'invalid usage, or the service refused the request',
  access: 'the key is missing, refused, or lacks a scope, which is named',
  environment: 'a problem with the service, the network or this machine',
  interrupted: 'interrupted by Ctrl-C or a signal: the same command continues',
};

const variables: readonly (readonly [string, string])[] = [
  [
    'PHOTO_SERVICE_URL, PHOTO_SERVICE_TOKEN',
    'the service and the key; they take precedence over what phs login stored',
  ],
  ['PHOTO_SERVICE_PROFILE', 'the stored login to use, when there are several'],
  ['XDG_CONFIG_HOME, XDG_STATE_HOME', 'where logins and the state of imports are stored'],
];

export function manPage(version: string): string {
  const program = new Command('phs');
  for (const command of clientCommands()) program.addCommand(command);
  const help = program.createHelp();
  return [
    `.TH PHS 1 "" "phs ${version}" "Photo Service"`,
    ...['.SH NAME', 'phs \\- command line client of Photo Service'],
    ...['.SH SYNOPSIS', '.B phs', '.I command', '[options]'],
    ...['.SH COMMANDS', ...program.commands.flatMap((command) => commandLines(command as Command, help))],
    ...['.SH ENVIRONMENT', ...variables.flatMap(([name, meaning]) => entry(name, meaning))],
    '.SH EXIT STATUS',
    ...Object.entries(exitCodes).flatMap(([name, code]) =>
      entry(String(code), meanings[name as keyof typeof exitCodes]),
    ),
    '',
  ].join('\n');
}

function commandLines(command: Command, help: Help): string[] {
  if (command.commands.length > 0) return command.commands.flatMap((each) => commandLines(each as Command, help));
  return [
    `.SS "${roff(help.commandUsage(command))}"`,
    roff(help.commandDescription(command)),
    ...help.visibleArguments(command).flatMap((each) => entry(help.argumentTerm(each), help.argumentDescription(each))),
    ...help.visibleOptions(command).flatMap((each) => entry(help.optionTerm(each), help.optionDescription(each))),
  ];
}

/** A paragraph with its term in bold before it. */
function entry(term: string, text: string): string[] {
  return ['.TP', `.B "${roff(term)}"`, roff(text)];
}

/** Returns text for a manual page: no line of it is taken for a request, and its hyphens can be copied. */
function roff(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq');
  return escaped.replace(/^(?=[.'])/gm, '\\&');
}
