import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import ts from 'typescript';

// The files of a checkout as the measures see them: written by hand, parsed once.

const FOLDERS = ['src', 'sdk/src', 'cli/src', 'uploader/src', 'postgres/src', 'testing', 'bin', 'bench', 'test'];
const WRITTEN = /\.(tsx?|m?js|css)$/;
/** The first lines of a generated file name what wrote it. */
const GENERATED = /^(\/\/ Written by bin\/|\/\*\*\n \* This file was auto-generated)/;

/** Every file of the tree under `root`: path with `/`, text, and the number of lines. */
export function readTree(root) {
  return FOLDERS.filter((folder) => existsSync(join(root, folder))).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && WRITTEN.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .filter((path) => !path.startsWith('test/fixtures/') && !path.includes('/node_modules/'))
      .sort()
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
      .filter(({ text }) => !GENERATED.test(text))
      .map((file) => ({ ...file, lines: file.text.split('\n').length - (file.text.endsWith('\n') ? 1 : 0) })),
  );
}

const parsed = new WeakMap();

/** The syntax tree of a file; parents are set. */
export function syntaxOf(file) {
  if (!parsed.has(file)) {
    parsed.set(file, ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true));
  }
  return parsed.get(file);
}

/** Calls `visit` with every node below `node`, in order; no deeper where it answers false. */
export function walk(node, visit) {
  ts.forEachChild(node, (child) => {
    if (visit(child) !== false) walk(child, visit);
  });
}

/** Paths of the files of the tree that a file imports; types, `import()` and `declare module` included, unless `declared` is false. */
export function importsOf(file, paths, { declared = true } = {}) {
  const targets = new Set();
  walk(syntaxOf(file), (node) => {
    if (!declared && ts.isModuleDeclaration(node)) return;
    const specifier = specifierOf(node);
    if (!specifier?.startsWith('.')) return;
    // `./page.js` stands for `page.ts` or `page.tsx`.
    const path = posix.join(posix.dirname(file.path), specifier);
    const stem = path.replace(/\.js$/, '');
    targets.add([`${stem}.ts`, `${stem}.tsx`].find((each) => paths.has(each)) ?? path);
  });
  return [...targets];
}

function specifierOf(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier?.text;
  if (ts.isModuleDeclaration(node) && ts.isStringLiteral(node.name)) return node.name.text;
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal.text;
  const isImport = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const [argument] = isImport ? node.arguments : [];
  return argument && ts.isStringLiteralLike(argument) ? argument.text : undefined;
}
