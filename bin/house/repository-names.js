import ts from 'typescript';
import { syntaxOf, walk } from './tree.js';

/** The types that take names of repositories (src/core/shared/transactional.ts). */
const NAMING = new Set(['Transactional', 'Readable', 'Transaction', 'Reader']);
/** All of them at once: a concept that takes these says nothing about what it touches. */
const ALL = new Set(['Repositories', 'Reads']);
const DECLARES_THEM = /^src\/core\/shared\/transactional\.ts$/;

/**
 * Which repositories the types of these files name, and where each is declared. `unreadable` are places where that cannot be read from the
 * text: a name that is no literal, or all repositories at once.
 */
export function repositoryNames(files) {
  const declared = new Map(files.flatMap((file) => declaredIn(file).map((name) => [name, file.path])));
  const uses = [];
  const unreadable = [];
  for (const file of files.filter(({ path }) => !DECLARES_THEM.test(path))) {
    for (const argument of argumentsIn(file)) {
      const name = ts.isLiteralTypeNode(argument) ? argument.literal.text : undefined;
      const declaredIn = declared.get(name);
      if (declaredIn === undefined) unreadable.push({ file: file.path, text: argument.getText() });
      else uses.push({ file: file.path, name, declaredIn });
    }
  }
  return { uses, unreadable };
}

/** The repositories that a file declares: `declare module '…/transactional.js' { interface Repositories { photos: … } }`. */
function declaredIn(file) {
  const names = [];
  walk(syntaxOf(file), (node) => {
    if (!ts.isModuleDeclaration(node)) return;
    walk(node, (inner) => {
      if (!ts.isInterfaceDeclaration(inner) || !ALL.has(inner.name.text)) return;
      for (const member of inner.members) names.push(member.name.getText());
    });
    return false;
  });
  return names;
}

/** Each name given to one of the types, and every other mention of all repositories; a union is several. */
function argumentsIn(file) {
  const found = [];
  walk(syntaxOf(file), (node) => {
    if (ts.isModuleDeclaration(node)) return false;
    if (ts.isImportSpecifier(node)) {
      // Under another name it would not be recognized.
      if (node.propertyName && (NAMING.has(node.propertyName.text) || ALL.has(node.propertyName.text)))
        found.push(node);
      return false;
    }
    if (ts.isIdentifier(node) && ALL.has(node.text)) found.push(node);
    if (ts.isTypeReferenceNode(node) && NAMING.has(node.typeName.getText())) {
      found.push(
        ...(node.typeArguments ?? []).flatMap((argument) =>
          ts.isUnionTypeNode(argument) ? argument.types : [argument],
        ),
      );
    }
  });
  return found;
}
