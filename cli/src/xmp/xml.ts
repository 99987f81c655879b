import { SaxesParser } from 'saxes';

/** A name by its namespace. The prefix is what the document called the namespace; two documents need not agree on it. */
interface XmlName {
  readonly uri: string;
  readonly local: string;
  readonly prefix: string;
}

interface XmlAttribute extends XmlName {
  readonly value: string;
}

export interface XmlElement extends XmlName {
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly (XmlElement | string)[];
}

/** The text is not XML, or more of it than a sidecar has; the message says which. */
export class XmlProblem extends Error {}

const MAX_DEPTH = 60;
const MAX_NODES = 200_000;
const XMLNS = 'http://www.w3.org/2000/xmlns/';

interface OpenElement extends XmlName {
  readonly attributes: XmlAttribute[];
  children: (XmlElement | string)[];
}

/**
 * The root of a document. Nothing is expanded or fetched: a document type declaration, which could define entities, is refused. Comments and
 * processing instructions are left out, and so is white space between elements.
 * @throws XmlProblem
 */
export function parseXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const open: OpenElement[] = [{ uri: '', local: '', prefix: '', attributes: [], children: [] }];
  let nodes = 0;
  const refuse = (message: string) => {
    throw new XmlProblem(message);
  };
  const add = (child: XmlElement | string) => {
    nodes += 1;
    if (nodes > MAX_NODES) refuse(`It has more than ${MAX_NODES} nodes.`);
    open.at(-1)?.children.push(child);
  };
  parser.on('error', ({ message }) => refuse(message));
  parser.on('doctype', () => refuse('It has a document type declaration.'));
  parser.on('opentag', ({ uri, local, prefix, attributes }) => {
    if (open.length > MAX_DEPTH) refuse(`Its elements are nested more than ${MAX_DEPTH} deep.`);
    const named = Object.values(attributes).filter((attribute) => attribute.uri !== XMLNS);
    const own = named.map((each) => ({ uri: each.uri, local: each.local, prefix: each.prefix, value: each.value }));
    open.push({ uri, local, prefix, attributes: own, children: [] });
  });
  parser.on('closetag', () => {
    const element = open.pop() as OpenElement;
    if (element.children.some((child) => typeof child !== 'string'))
      element.children = element.children.filter((child) => typeof child !== 'string' || child.trim() !== '');
    add(element);
  });
  for (const event of ['text', 'cdata'] as const) parser.on(event, add);
  parser.write(text).close();
  return open[0]?.children.find((child) => typeof child !== 'string') ?? refuse('It has no element.');
}

export function childOf(element: XmlElement, uri: string, local: string): XmlElement | undefined {
  return elementsOf(element).find((child) => child.uri === uri && child.local === local);
}

export function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => typeof child !== 'string');
}

/** The text of an element without elements; null for others. */
export function textOf({ children }: XmlElement): string | null {
  return children.every((child) => typeof child === 'string') ? children.join('') : null;
}

const XML = 'http://www.w3.org/XML/1998/namespace';

/** The prefix of each namespace in these elements: the preferred one, that of the document, or a number, each once. */
export function prefixesOf(
  elements: readonly XmlElement[],
  preferred: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const prefixes = new Map<string, string>([[XML, 'xml']]);
  const taken = new Set(['xml', 'xmlns', ...Object.values(preferred)]);
  const note = ({ uri, prefix }: XmlName) => {
    if (uri === '' || prefixes.has(uri)) return;
    const known = Object.hasOwn(preferred, uri) ? preferred[uri] : undefined;
    let free = known ?? prefix;
    for (let number = 1; known === undefined && (free === '' || taken.has(free)); number += 1) free = `ns${number}`;
    taken.add(free);
    prefixes.set(uri, free);
  };
  const visit = (element: XmlElement) => {
    note(element);
    element.attributes.forEach(note);
    elementsOf(element).forEach(visit);
  };
  elements.forEach(visit);
  return prefixes;
}

/** An element as text, its namespaces declared further out. */
export function writeXml(element: XmlElement, prefixes: ReadonlyMap<string, string>): string {
  const nameOf = ({ uri, local }: XmlName) => (uri === '' ? local : `${prefixes.get(uri)}:${local}`);
  const attributes = element.attributes.map((each) => ` ${nameOf(each)}="${escapeXml(each.value)}"`).join('');
  const content = element.children
    .map((child) => (typeof child === 'string' ? escapeXml(child) : writeXml(child, prefixes)))
    .join('');
  const name = nameOf(element);
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** For text and for attributes. What XML 1.0 cannot express at all becomes the replacement character. */
function escapeXml(text: string): string {
  return (
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replace(/[&<>"\r\n\t]/g, (character) => ESCAPES[character] as string)
  );
}
