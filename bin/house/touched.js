import { posix } from 'node:path';
import ts from 'typescript';
import { isTypeScript, syntaxOf, walk } from './tree.js';

/**
 * What stands today for what somebody may add tomorrow: the files that know of an example are those that one more of its kind would
 * touch. Files that are generated and tests are left out, comments do not count.
 */
const EXAMPLES = {
  endpoint: { method: 'Put', route: 'api/v1/photos/:id/tags' },
  // Words that mean nothing else, as `title` would.
  fields: ['rating', 'externalId'],
  store: { name: 's3', folder: 'src/adapters/s3-blobs/' },
  resources: ['webhook', 'audit'],
};

export function touched(files, examples = EXAMPLES) {
  const program = files.filter(({ path }) => !/^test(ing)?\//.test(path) && /\.(tsx?|m?js)$/.test(path));
  const { folder, name } = examples.store;
  const naming = filesNaming(program, new RegExp(`(?<![A-Za-z0-9])${name}(?![a-z])|${capital(name)}`));
  return {
    endpoint: { ...examples.endpoint, files: filesOfEndpoint(program, examples.endpoint) },
    fields: examples.fields.map((field) => ({ field, ...filesOfField(program, field) })),
    store: {
      name,
      own: program.filter(({ path }) => path.startsWith(folder)).map(({ path }) => path),
      others: naming.filter((path) => !path.startsWith(folder)),
    },
    resources: examples.resources.map((resource) => filesOfResource(program, resource)),
  };
}

function capital(name) {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Paths of files with a word of the program (an identifier, or text in quotes) that fits; all migrations count as one. */
function filesNaming(files, pattern) {
  return asOneMigration(files.filter((file) => wordsOf(file).some(({ text }) => pattern.test(text))));
}

function asOneMigration(files) {
  return [...new Set(files.map(({ path }) => path.replace(/(\/migrations\/).*$/, '$1*')))];
}

const words = new WeakMap();

function wordsOf(file) {
  if (words.has(file)) return words.get(file);
  const found = [];
  walk(syntaxOf(file), (node) => {
    if (ts.isIdentifier(node) || ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) {
      found.push({ node, text: node.text });
    }
  });
  words.set(file, found);
  return found;
}

/** The controller, the use case, the types that it alone takes, and whoever writes the route once more; of them all the files. */
function filesOfEndpoint(files, { method, route }) {
  const controllers = files.filter(({ path }) => path.endsWith('.controller.ts'));
  for (const file of controllers) {
    for (const handler of handlersIn(file)) {
      if (handler.method !== method || handler.route !== route) continue;
      const others = new Set(
        controllers.filter((each) => each !== file).flatMap((each) => wordsOf(each).map(({ text }) => text)),
      );
      const exclusive = importsUsedOnlyIn(handler.node, file).filter(({ name }) => !others.has(name));
      const types = exclusive.filter(({ from }) => /^src\/(api|http)\//.test(from));
      const documented = `/${route.replace(/:(\w+)/g, '{$1}')}`;
      const again = files.filter(
        (each) =>
          /^(src\/(api|http|pages)|sdk|cli)\//.test(each.path) &&
          wordsOf(each).some(({ text }) => text === documented || types.some(({ name }) => name === text)),
      );
      return [...new Set([file.path, ...exclusive.map(({ from }) => from), ...again.map(({ path }) => path)])].sort();
    }
  }
  return null;
}

function handlersIn(file) {
  return syntaxOf(file)
    .statements.filter(ts.isClassDeclaration)
    .flatMap((declaration) => {
      const [, base] = decorators(declaration).find(([name]) => name === 'Controller') ?? [];
      if (base === undefined) return [];
      return declaration.members
        .filter(ts.isMethodDeclaration)
        .flatMap((node) =>
          decorators(node).map(([method, path = '']) => ({ node, method, route: posix.join(base, path) })),
        );
    });
}

/** Name and first text of each decorator. */
function decorators(node) {
  return (ts.getDecorators(node) ?? []).flatMap(({ expression }) => {
    if (!ts.isCallExpression(expression)) return [];
    const text = expression.arguments.find(ts.isStringLiteralLike)?.text;
    return [[expression.expression.getText(), text ?? (expression.arguments.length === 0 ? '' : undefined)]];
  });
}

/** What a method, and nothing else in its file, takes from other files. */
function importsUsedOnlyIn(method, file) {
  const uses = (node) => {
    const names = new Set();
    walk(node, (each) => {
      if (ts.isIdentifier(each)) names.add(each.text);
    });
    return names;
  };
  const inside = uses(method);
  const outside = new Set();
  for (const member of method.parent.members) {
    if (member !== method) for (const name of uses(member)) outside.add(name);
  }
  return syntaxOf(file)
    .statements.filter(ts.isImportDeclaration)
    .filter(({ moduleSpecifier }) => moduleSpecifier.text.startsWith('.'))
    .flatMap(({ importClause, moduleSpecifier }) => {
      const from = posix.join(posix.dirname(file.path), moduleSpecifier.text).replace(/\.js$/, '.ts');
      const named = importClause?.namedBindings;
      const names = named && ts.isNamedImports(named) ? named.elements.map(({ name }) => name.text) : [];
      return names.filter((name) => inside.has(name) && !outside.has(name)).map((name) => ({ name, from }));
    });
}

/** Text of a statement, among texts for people. */
const SQL = /\b(SELECT|INSERT|UPDATE|DELETE|ALTER|CREATE|FROM|WHERE)\b/;

/** Who names a field, as a word of the program or inside SQL, by ring; and how many places say what it is instead of only passing it on. */
function filesOfField(files, field) {
  const column = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const inText = new RegExp(`(?<![\\w-])(${field}|${column})(?![\\w-])`);
  const isNamed = ({ node, text }) => {
    if (text === field) return !isMarkup(node);
    return !ts.isIdentifier(node) && (!ts.isStringLiteral(node) || SQL.test(text)) && inText.test(text);
  };
  const naming = files.filter((file) => wordsOf(file).some(isNamed));
  const declared = naming.filter(isTypeScript).flatMap((file) =>
    wordsOf(file)
      .filter((word) => isNamed(word) && isDeclared(word.node))
      .map(() => file.path),
  );
  return { files: asOneMigration(naming), declared: declared.length, declaredIn: [...new Set(declared)] };
}

/** The name of an attribute or of an element is none of a field. */
function isMarkup(node) {
  return (
    ts.isJsxAttribute(node.parent) || ts.isJsxOpeningLikeElement(node.parent) || ts.isJsxClosingElement(node.parent)
  );
}

/** Whether a name is given a type, a rule, a column or a schema here, or stands in a list of fields. */
function isDeclared(node) {
  const { parent } = node;
  if (ts.isPropertySignature(parent) || ts.isPropertyDeclaration(parent)) return parent.name === node;
  if (ts.isArrayLiteralExpression(parent) || ts.isLiteralTypeNode(parent)) return true;
  if (!ts.isPropertyAssignment(parent) || parent.name !== node) return false;
  const { initializer } = parent;
  if (ts.isIdentifier(initializer)) return isImported(initializer);
  return (
    ts.isCallExpression(initializer) || ts.isObjectLiteralExpression(initializer) || ts.isStringLiteral(initializer)
  );
}

/** A column by the name of its type, as in `{ rating: optionalWhole }`, and not a value that is passed on. */
function isImported(identifier) {
  return importedNames(identifier.getSourceFile()).has(identifier.text);
}

function importedNames(source) {
  const names = new Set();
  for (const { importClause } of source.statements.filter(ts.isImportDeclaration)) {
    const named = importClause?.namedBindings;
    if (named && ts.isNamedImports(named)) for (const { name } of named.elements) names.add(name.text);
  }
  return names;
}

/** Its own files are those whose path has its name; the others only know of it. */
function filesOfResource(files, resource) {
  const pattern = new RegExp(resource, 'i');
  const own = asOneMigration(files.filter(({ path }) => pattern.test(path)));
  return { resource, own, others: filesNaming(files, pattern).filter((path) => !own.includes(path)) };
}
