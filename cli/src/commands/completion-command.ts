import { Argument, Command } from 'commander';

/** Writes a script that completes the commands and options of the program that it belongs to. */
export function completionCommand(): Command {
  return new Command('completion')
    .description('print a shell completion script: phs completion bash >> ~/.bashrc')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: 'bash' | 'zsh' | 'fish', _options, command: Command) => {
      const words = wordsOf(command.parent as Command);
      process.stdout.write({ bash, zsh, fish }[shell](words));
    });
}

/** The words that may follow each command, by its words after the program's name: '' is the program itself. */
type Words = ReadonlyMap<string, readonly string[]>;

function wordsOf(program: Command): Words {
  const words = new Map<string, string[]>();
  const visit = (command: Command, path: string) => {
    const options = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
    words.set(path, [...command.commands.map((child) => child.name()), ...options, '--help']);
    for (const child of command.commands)
      visit(child as Command, path === '' ? child.name() : `${path} ${child.name()}`);
  };
  visit(program, '');
  return words;
}

/**
 * Finds the command that was written so far in the array `line`; what stands between its words are arguments. In the words that bash and zsh
 * have in common, and without the names `path` and `words`, which mean something to zsh.
 */
function lookUp(words: Words, first: number): string {
  const paths = [...words.keys()].filter((path) => path !== '').map((path) => `'${path}'`);
  const cases = [...words].map(([path, next]) => `    '${path}') next='${next.join(' ')}' ;;`);
  return `  local spot='' next='' index
  for ((index = ${first}; index < current; index++)); do
    case "\${spot:+$spot }\${line[index]}" in
      ${paths.join(' | ')}) spot="\${spot:+$spot }\${line[index]}" ;;
    esac
  done
  case "$spot" in
${cases.join('\n')}
  esac`;
}

function bash(words: Words): string {
  return `# Completion of phs for bash: put it into ~/.bashrc, or into a file of /etc/bash_completion.d.
_phs() {
  local current=$COMP_CWORD line=("\${COMP_WORDS[@]}")
${lookUp(words, 1)}
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _phs phs
`;
}

function zsh(words: Words): string {
  return `#compdef phs
# Completion of phs for zsh: put it into a folder of $fpath as _phs, or into ~/.zshrc after compinit.
_phs() {
  local current=$CURRENT
  local -a line=("\${(@)words}")
${lookUp(words, 2)}
  compadd -- \${=next}
  _files
}
compdef _phs phs
`;
}

function fish(words: Words): string {
  const lines = [...words].map(([path, next]) => {
    const condition = path === '' ? '__phs_at' : `__phs_at ${path}`;
    return `complete -c phs -n '${condition}' -a '${next.join(' ')}'`;
  });
  const names = [...words.keys()].filter((path) => path !== '').map((path) => `'${path}'`);
  return `# Completion of phs for fish: phs completion fish > ~/.config/fish/completions/phs.fish
function __phs_at
    set -l path
    for word in (commandline -opc)[2..]
        contains -- (string join ' ' $path $word) ${names.join(' ')}; and set -a path $word
    end
    test (string join ' ' $path) = (string join ' ' $argv)
end
${lines.join('\n')}
`;
}
