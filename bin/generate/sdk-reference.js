import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';

// Writes the reference of the SDK, docs/sdk.md, out of its declarations and their comments. With --check it only compares.
const root = join(import.meta.dirname, '../..');
const target = join(root, 'docs', 'sdk.md');
const entries = [
  {
    name: 'photo-service-sdk',
    file: 'entry.d.ts',
    about: 'For every runtime, and for edge runtimes and pages as one file without imports: `photo-service-sdk/web`.',
  },
  {
    name: 'photo-service-sdk/node',
    file: 'node/entry.d.ts',
    about: 'What needs files and threads: Node, Deno and Bun.',
  },
];
const groups = [
  { title: 'Classes', has: ts.isClassDeclaration },
  { title: 'Functions', has: ts.isFunctionDeclaration },
  { title: 'Types', has: (node) => !ts.isClassDeclaration(node) && !ts.isFunctionDeclaration(node) && !isOfApi(node) },
];

const folder = mkdtempSync(join(tmpdir(), 'sdk-declarations-'));
try {
  const text = write(declarations());
  if (!process.argv.includes('--check')) writeFileSync(target, text);
  else if (readFileSync(target, 'utf8') !== text) {
    console.error(`${target} is out of date: npm run sdk:types`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** @returns the declarations of each entry by their names; of those that an entry before has, none. */
function declarations() {
  const compiler = join(root, 'node_modules/@typescript/native/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', join(root, 'sdk'), '--outDir', folder], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stdout);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const options = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    noLib: true,
    types: [],
  };
  const program = ts.createProgram(
    entries.map(({ file }) => join(folder, file)),
    options,
  );
  const checker = program.getTypeChecker();
  const seen = new Set();
  return entries.map((entry) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(join(folder, entry.file)));
    const found = new Map();
    const waiting = checker.getExportsOfModule(module).map((symbol) => ({ symbol, isExported: true }));
    for (const { symbol, isExported } of waiting) {
      const resolved = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const node = resolved.declarations?.find(isByHand);
      if (node === undefined || seen.has(resolved)) continue;
      seen.add(resolved);
      found.set(symbol.name, { node, isExported });
      waiting.push(...namedBy(node, checker).map((each) => ({ symbol: each, isExported: false })));
    }
    return { ...entry, found };
  });
}

/** Declared in the SDK, and not generated. */
function isByHand(node) {
  const { fileName } = node.getSourceFile();
  const isOurs = fileName.startsWith(folder) && !fileName.includes('node_modules');
  return isOurs && !fileName.endsWith('-types.d.ts') && ts.isStatement(node);
}

/** Only another name for a part of the API's document. */
function isOfApi(node) {
  return (
    ts.isTypeAliasDeclaration(node) &&
    /(Schemas|components|Query|Operator)\W/.test(node.type.getText()) &&
    docOf(node) === ''
  );
}

/** What a declaration names, which readers need to know: results, and the objects that a client consists of; how those are made they need not. */
function namedBy(node, checker) {
  const symbols = [];
  const visit = (child) => {
    if (ts.isConstructorDeclaration(child) || isPrivate(child)) return;
    if (ts.isTypeReferenceNode(child)) {
      const symbol = checker.getSymbolAtLocation(child.typeName);
      if (symbol) symbols.push(symbol);
    }
    ts.forEachChild(child, visit);
  };
  ts.forEachChild(node, visit);
  return symbols;
}

function isPrivate(node) {
  return ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword);
}

function write(parts) {
  const lines = [
    '# The SDK',
    '',
    'Every class, function and type of `photo-service-sdk`. It is written from the sources: `npm run sdk:types`.',
    '',
  ];
  for (const { name, about, found } of parts) {
    lines.push(`## ${name}`, '', about, '');
    const all = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const { title, has } of groups) {
      const some = all.filter(([, { node }]) => has(node));
      if (some.length > 0) lines.push(`### ${title}${name.endsWith('node') ? ' for Node' : ''}`, '');
      for (const [each, { node, isExported }] of some) {
        const doc = docOf(node);
        lines.push(`#### ${each}`, '', ...(doc === '' ? [] : [doc, '']), '```ts', codeOf(node, isExported), '```', '');
      }
    }
    const ofApi = all.filter(([, { node }]) => isOfApi(node)).map(([, { node }]) => codeOf(node, true));
    const heading = ['### Types of the API', '', 'The fields are those of the API reference.', ''];
    if (ofApi.length > 0) lines.push(...heading, '```ts', ...ofApi, '```', '');
  }
  return `${lines.join('\n').trimEnd()}\n`;
}

/** The comment before a declaration, without what marks it as one. */
function docOf(node) {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).slice(-1);
  if (comment === undefined) return '';
  const lines = comment
    .getText()
    .replace(/^\/\*\*|\*\/$/g, '')
    .split('\n');
  const text = lines
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join('\n')
    .trim();
  return text
    .replace(/\n(?=@)/g, '\n\n')
    .replace(/@throws/g, 'Errors:')
    .replace(/@param (\w+)/g, '`$1`:')
    .replace(/@returns/g, 'Returns');
}

/** The declaration as it stands, without private members and, of what is only reached by others, without its constructor. */
function codeOf(node, isExported) {
  const { text } = node.getSourceFile();
  const left = (node.members ?? []).filter(
    (member) => isPrivate(member) || (!isExported && ts.isConstructorDeclaration(member)),
  );
  let code = '';
  let at = node.getStart();
  for (const member of left) {
    code += text.slice(at, member.getFullStart());
    at = member.getEnd();
  }
  return (code + text.slice(at, node.getEnd())).replace(/^export (declare )?/, '').replace(/^( +)\1/gm, '$1');
}
