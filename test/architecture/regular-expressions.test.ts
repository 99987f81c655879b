/* @rest */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSync } from 'recheck/lib/browser.js';
import ts from 'typescript';

/**
 * A regular expression that backtracks over a text blocks everybody for as long as it does. recheck judges each one that is written in the
 * code of the service and its clients: as an automaton where it can, otherwise by attacking it.
 */

const root = join(__dirname, '../..');

interface Expression {
  readonly source: string;
  readonly flags: string;
}

interface Place {
  /** `src/file.ts: text`, as the code has it. */
  readonly name: string;
  /** Null for one that is made of parts that are known when the program runs. */
  readonly expression: Expression | null;
}

/** Expressions that are made of parts known when the program runs, as they are then. */
const made: Readonly<Record<string, Expression>> = {
  'cli/src/sources/flickr-source.ts: new RegExp(`^(.+)_${id}(?:_o)?\\\\.\\\\w+$`)': {
    source: String.raw`^(.+)_53920304311(?:_o)?\.\w+$`,
    flags: '',
  },
  'sdk/src/import/source.ts: new RegExp(`<${name}>([^<]*)</${name}>`)': {
    source: '<Message>([^<]*)</Message>',
    flags: '',
  },
  'src/core/blobs/blob-key.ts: new RegExp( `^renditions/${NUMBER}/${NUMBER}/(v[0-9]+)-r(0|90|180|270)/(?:${NAMED_SIZE}|(${DELIVERED}))$`, )':
    {
      source:
        '^renditions/([1-9][0-9]{0,15})/([1-9][0-9]{0,15})/(v[0-9]+)-r(0|90|180|270)/(?:[a-z]+[.](?:jpeg|webp)|([0-9a-f]{32}[.](?:avif|jpeg|png|webp)))$',
      flags: '',
    },
  "src/config/environment-reader.ts: new RegExp(`^mailto:${ADDRESS.replace('[', '[%')}(\\\\?[\\\\x21-\\\\x7e]+)?$`, 'i')":
    {
      source: String.raw`^mailto:[%A-Za-z0-9!$'*+._~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(\?[\x21-\x7e]+)?$`,
      flags: 'i',
    },
  'src/api/files/delivery.controller.ts: new RegExp(`^(?:(${PARTS})[?]|(${PARTS}[?]exp=([1-9][0-9]{0,10}))&)${SIGNATURE}$`)':
    {
      source:
        '^(?:(/img/([^/?]+)/([^/?]+)/([^/?]+))[?]|(/img/([^/?]+)/([^/?]+)/([^/?]+)[?]exp=([1-9][0-9]{0,10}))&)sig=([A-Za-z0-9_-]{43})$',
      flags: '',
    },
  "src/http/route-table.ts: new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+')}$`)": {
    source: '^/api/v1/imports/[^/]+/photos/[^/]+$',
    flags: '',
  },
};

/** Expressions that may backtrack, and why no text of others can make them slow. */
const exceptions: Readonly<Record<string, string>> = {};

const places = ['src', 'sdk', 'cli', 'uploader']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((path) => `${folder}/${path}`))
  .filter((path) => /\.([cm]?[jt]s|tsx)$/.test(path) && !/\/(dist|node_modules)\//.test(path))
  .sort()
  .flatMap(placesIn);

function placesIn(path: string): Place[] {
  const file = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Place[] = [];
  const visit = (node: ts.Node): void => {
    const name = () => `${path}: ${node.getText(file).replace(/\s+/g, ' ')}`;
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push({ name: name(), expression: { source: node.text.slice(1, end), flags: node.text.slice(end + 1) } });
    }
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isCall && node.expression.getText(file) === 'RegExp') {
      const [source, flags = ''] = (node.arguments ?? []).map((argument) => textOf(argument, file));
      found.push({ name: name(), expression: source == null || flags === null ? null : { source, flags } });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The text that an expression of the code always has: literals, and constants of the same file. Null when it is made at run time. */
function textOf(node: ts.Node, file: ts.SourceFile): string | null {
  if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return node.text;
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText(file) === 'String.raw') {
    return ts.isNoSubstitutionTemplateLiteral(node.template) ? (node.template.rawText ?? null) : null;
  }
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.flatMap((span) => [textOf(span.expression, file), span.literal.text]);
    return parts.includes(null) ? null : [node.head.text, ...parts].join('');
  }
  if (!ts.isIdentifier(node)) return null;
  const values: ts.Expression[] = [];
  const visit = (each: ts.Node): void => {
    if (ts.isVariableDeclaration(each) && each.name.getText(file) === node.text && each.initializer) {
      values.push(each.initializer);
    }
    ts.forEachChild(each, visit);
  };
  visit(file);
  return values.length === 1 && values[0] ? textOf(values[0], file) : null;
}

const unnamed = places.filter(({ name, expression }) => expression === null && made[name] === undefined);

test('every regular expression that is made at run time is listed as it is then', () => {
  expect(unnamed.map(({ name }) => name)).toEqual([]);
  const known = new Set(places.filter(({ expression }) => expression === null).map(({ name }) => name));
  expect(Object.keys(made).filter((name) => !known.has(name))).toEqual([]);
});

test('no regular expression backtracks', () => {
  const judged = new Map<string, string | null>();
  const verdict = ({ source, flags }: Expression): string | null => {
    const text = `/${source}/${flags}`;
    if (!judged.has(text)) {
      // By counts alone: what a machine is busy with changes no verdict.
      const unhurried = { timeout: null, attackTimeout: null, incubationTimeout: null };
      const { status, ...found } = checkSync(source, flags, unhurried);
      const why = 'complexity' in found ? found.complexity?.summary : undefined;
      judged.set(text, status === 'safe' ? null : `${status} ${why ?? ''}`.trim());
    }
    return judged.get(text) ?? null;
  };
  const findings = places.flatMap(({ name, expression }) => {
    const known = expression ?? made[name];
    const worst = known ? verdict(known) : null;
    return worst === null ? [] : [{ name, worst }];
  });
  expect(judged.size).toBeGreaterThan(250);
  expect(findings.filter(({ name }) => exceptions[name] === undefined)).toEqual([]);
  const unneeded = Object.keys(exceptions).filter((name) => !findings.some((finding) => finding.name === name));
  expect(unneeded).toEqual([]);
});
