import ts from 'typescript';
import { importsOf, isTypeScript, syntaxOf, walk } from './tree.js';

/** Names of fields, JSON Schema keywords, attributes of forms and parameters of functions whose value is a limit. */
const LIMIT_NAME = /^(max|min)(imum|Length|Items|Properties|Size|Value)?$|^(most|least)$/;
/** Of class-validator: what it takes first, or first and second. */
const VALIDATORS = ['Max', 'Min', 'MaxLength', 'MinLength', 'Length', 'ArrayMaxSize', 'ArrayMinSize'];
const VALIDATED = VALIDATORS.map((name) => [name, new Set([0, 1])]);

/**
 * Limits that stand in core and http as a bare number, and not by the name of a constant: `maxLength: 255`, `textErrors(…, 255)`, `MaxLength(255)`.
 * Small numbers (0 and 1) say "none" or "at least one" and are left out.
 */
export function limits(files) {
  const own = files.filter((file) => /^src\/(core|api|http|pages)\//.test(file.path) && isTypeScript(file));
  const paths = new Set(files.map(({ path }) => path));
  const declared = new Map(own.map((file) => [file.path, parametersThatLimit(file)]));
  const places = own.flatMap((file) => {
    // Of a name that several files declare, only what the file itself or one that it imports declares counts.
    const known = [...importsOf(file, paths), file.path].map((path) => declared.get(path) ?? new Map());
    return placesIn(file, new Map([...VALIDATED, ...known.flatMap((each) => [...each])]));
  });
  const constants = own.filter(({ path }) => path.startsWith('src/core/')).flatMap(constantsIn);
  const repeated = [...new Set(places.map(({ value }) => value))]
    .map((value) => ({ value, files: filesOf(places.filter((place) => place.value === value)) }))
    .filter((each) => each.files.length > 1)
    .sort((a, b) => b.files.length - a.files.length || b.value - a.value);
  return {
    places: places.length,
    files: filesOf(places).length,
    repeated,
    ofConstants: writtenAgain(constants, places),
  };
}

/**
 * Numbers that core has constants for and that stand as a limit without their name. Below 100 that is mostly chance, and above it may be:
 * the names are those of all constants that have the number.
 */
function writtenAgain(constants, places) {
  return [...new Set(constants.map(({ value }) => value))].flatMap((value) => {
    const names = constants.filter((each) => each.value === value).map(({ name }) => name);
    const files = filesOf(places.filter((each) => each.value === value));
    return value >= 100 && files.length > 0 ? [{ value, names, files }] : [];
  });
}

function filesOf(places) {
  return [...new Set(places.map(({ file }) => file))];
}

/** For each function of a file, by name, at which places of its call a limit is expected. */
function parametersThatLimit(file) {
  const taking = new Map();
  walk(syntaxOf(file), (node) => {
    if (!ts.isFunctionLike(node)) return;
    const name = (node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined))?.getText();
    if (name === undefined) return;
    node.parameters.forEach((parameter, index) => {
      if (!LIMIT_NAME.test(parameter.name.getText())) return;
      taking.set(name, (taking.get(name) ?? new Set()).add(index));
    });
  });
  return taking;
}

function placesIn(file, taking) {
  const found = [];
  const add = (node) => {
    const value = numberIn(node);
    if (value !== null && Math.abs(value) > 1) found.push({ file: file.path, value });
  };
  walk(syntaxOf(file), (node) => {
    if (ts.isPropertyAssignment(node) && LIMIT_NAME.test(node.name.getText())) add(node.initializer);
    if (ts.isJsxAttribute(node) && LIMIT_NAME.test(node.name.getText())) add(node.initializer?.expression);
    if (!ts.isCallExpression(node)) return;
    const places = taking.get(node.expression.getText().replace(/^.*\./, ''));
    node.arguments.forEach((argument, index) => {
      if (places?.has(index)) add(argument);
    });
  });
  return found;
}

/** Exported numbers whose name says that they limit, and those in a value of type `Limits`. */
function constantsIn(file) {
  const found = [];
  const add = (name, node) => {
    const value = numberIn(node, file);
    if (value !== null) found.push({ file: file.path, name, value });
  };
  for (const statement of syntaxOf(file).statements.filter(ts.isVariableStatement)) {
    for (const { name, initializer, type } of statement.declarationList.declarations) {
      if (/^(MAX|MIN)_/.test(name.getText())) add(name.getText(), initializer);
      if (type?.getText() !== 'Limits' || !initializer || !ts.isObjectLiteralExpression(initializer)) continue;
      for (const field of initializer.properties.filter(ts.isPropertyAssignment))
        add(field.name.getText(), field.initializer);
    }
  }
  return found;
}

/** The number that an expression of literals is; a name counts when it is a constant of this file. Null for anything else. */
function numberIn(node, file) {
  if (node === undefined) return null;
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.MinusToken) {
    const value = numberIn(node.operand, file);
    return value === null ? null : -value;
  }
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [numberIn(node.left, file), numberIn(node.right, file)];
    if (left === null || right === null) return null;
    if (node.operatorToken.kind === ts.SyntaxKind.AsteriskToken) return left * right;
    return node.operatorToken.kind === ts.SyntaxKind.AsteriskAsteriskToken ? left ** right : null;
  }
  if (file === undefined || !ts.isIdentifier(node)) return null;
  const constants = syntaxOf(file)
    .statements.filter(ts.isVariableStatement)
    .flatMap((each) => each.declarationList.declarations);
  return numberIn(constants.find(({ name }) => name.getText() === node.text)?.initializer);
}
