import ts from 'typescript';
import { isTypeScript, syntaxOf, walk } from './tree.js';

const BEGINS = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s+\S/;
/** What the query builder has no plain words for, or what makes it more than one table. */
const BEYOND_PLAIN = /\b(WITH|JOIN|UNION|LATERAL|USING|EXISTS|OVER|INTERSECT|EXCEPT)\b/;
/** What stands behind FROM, INTO or the verb UPDATE, up to the next clause. */
const TABLES =
  /(?:(?<!DISTINCT )\b(?:FROM|INTO)|^\s*UPDATE)\s.*?(?=\b(?:FROM|WHERE|GROUP|HAVING|ORDER|LIMIT|OFFSET|FOR|SET|VALUES|ON|RETURNING)\b|[;)]|$)/gs;
/** `photos p, tags t`, or a function such as `unnest(…)`; the columns of an INSERT stand behind a space. */
const SEVERAL_OR_COMPUTED = /^\s*FROM\b[^(]*,|^\s*FROM\s+\w+\s*\(/;

/** SQL written by hand in the adapter of the database, without its migrations. A statement is counted where its text begins. */
export function statements(files) {
  const found = files
    .filter((file) => /^src\/adapters\/typeorm\/(?!migrations\/)/.test(file.path) && isTypeScript(file))
    .flatMap(statementsIn);
  return {
    all: found.length,
    files: new Set(found.map(({ file }) => file)).size,
    plain: found.filter(({ plain }) => plain),
  };
}

function statementsIn(file) {
  const found = [];
  const source = syntaxOf(file);
  walk(source, (node) => {
    const sql = sqlOf(node);
    if (sql === null || !BEGINS.test(sql)) return true;
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push({ file: file.path, line, plain: isPlain(sql) });
    // What a statement is put together from belongs to it.
    return false;
  });
  return found;
}

/** The text of a literal, with `:x` where something is put in. */
function sqlOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => `:x${literal.text}`).join('');
}

/** One verb, on one table, as far as the text shows: what is put in is not looked at. */
function isPlain(sql) {
  const text = sql.replace(/--.*$/gm, ' ').replace(/'(?:[^']|'')*'/g, "''");
  if (BEYOND_PLAIN.test(text)) return false;
  const verbs = text.replace(/\b(FOR|DO|NO KEY)\s+UPDATE\b/g, '').match(/\b(SELECT|INSERT|UPDATE|DELETE)\b/g) ?? [];
  const tables = text.match(TABLES) ?? [];
  return verbs.length === 1 && tables.length === 1 && !SEVERAL_OR_COMPUTED.test(tables[0]);
}
