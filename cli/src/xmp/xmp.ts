import { childOf, elementsOf, parseXml, prefixesOf, textOf, writeXml, type XmlElement, XmlProblem } from './xml.js';

/** Namespaces of XMP by the prefixes that programs expect. */
export const ns = {
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  x: 'adobe:ns:meta/',
  xml: 'http://www.w3.org/XML/1998/namespace',
  dc: 'http://purl.org/dc/elements/1.1/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  exif: 'http://ns.adobe.com/exif/1.0/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  lr: 'http://ns.adobe.com/lightroom/1.0/',
  digiKam: 'http://www.digikam.org/ns/1.0/',
  MicrosoftPhoto: 'http://ns.microsoft.com/photo/1.0/',
  /** Ours. */
  phs: 'urn:photo-service:1.0:',
  mediapro: 'http://ns.iview-multimedia.com/mediapro/1.0/',
} as const;

const PREFERRED = Object.fromEntries(Object.entries(ns).map(([prefix, uri]) => [uri, prefix]));

/**
 * The properties of a resource by namespace and name, each as the element that holds its value: whether a document had it as an attribute
 * makes no difference in RDF.
 */
export class Xmp {
  private constructor(private readonly properties: Map<string, XmlElement>) {}

  static empty(): Xmp {
    return new Xmp(new Map());
  }

  /** @throws XmlProblem for what is not XMP. */
  static parse(text: string): Xmp {
    const root = parseXml(text);
    const rdf = root.uri === ns.rdf && root.local === 'RDF' ? root : childOf(root, ns.rdf, 'RDF');
    if (rdf === undefined) throw new XmlProblem('It is not XMP: it has no rdf:RDF.');
    const properties = new Map<string, XmlElement>();
    const add = (property: XmlElement) => {
      const key = keyOf(property.uri, property.local);
      if (!properties.has(key)) properties.set(key, property);
    };
    for (const description of elementsOf(rdf)) {
      if (description.uri !== ns.rdf || description.local !== 'Description') continue;
      for (const { value, ...name } of description.attributes)
        if (![ns.rdf, ns.xml, ''].includes(name.uri)) add({ ...name, attributes: [], children: [value] });
      elementsOf(description).forEach(add);
    }
    return new Xmp(properties);
  }

  get isEmpty(): boolean {
    return this.properties.size === 0;
  }

  get(uri: string, local: string): XmlElement | undefined {
    return this.properties.get(keyOf(uri, local));
  }

  /** The value of a simple property, trimmed; null if there is none. */
  text(uri: string, local: string): string | null {
    const element = this.get(uri, local);
    return (element && textOf(element)?.trim()) || null;
  }

  /** The values of a bag, a sequence, or of the one value that stands where a list is expected. */
  list(uri: string, local: string): string[] {
    const element = this.get(uri, local);
    if (element === undefined) return [];
    return (itemsOf(element) ?? [element]).flatMap((item) => textOf(item)?.trim() || []);
  }

  /** The text in the default language. */
  localized(uri: string, local: string): string | null {
    const element = this.get(uri, local);
    const items = element && itemsOf(element);
    if (items === undefined) return this.text(uri, local);
    const item = items.find((each) => languageOf(each) === 'x-default') ?? items[0];
    return (item && textOf(item)?.trim()) || null;
  }

  /** Takes the text in the default language away; those in others stay. */
  removeLocalized(uri: string, local: string): void {
    const element = this.get(uri, local);
    const items = (element && itemsOf(element)) ?? [];
    const removed = items.find((each) => languageOf(each) === 'x-default') ?? items[0];
    const others = items.filter((each) => each !== removed);
    if (others.length === 0) this.remove(uri, local);
    else this.set(array(uri, local, 'Alt', others));
  }

  remove(uri: string, local: string): void {
    this.properties.delete(keyOf(uri, local));
  }

  setText(uri: string, local: string, value: string): void {
    this.set(element(uri, local, [value]));
  }

  setList(uri: string, local: string, values: readonly string[], kind: 'Bag' | 'Seq' = 'Bag'): void {
    const items = values.map((value) => element(ns.rdf, 'li', [value]));
    if (items.length === 0) this.remove(uri, local);
    else this.set(array(uri, local, kind, items));
  }

  /** Sets the text in the default language, before those in others. */
  setLocalized(uri: string, local: string, value: string): void {
    const before = this.get(uri, local);
    const others = ((before && itemsOf(before)) ?? []).filter((each) => languageOf(each) !== 'x-default');
    const language = { uri: ns.xml, local: 'lang', prefix: 'xml', value: 'x-default' };
    this.set(array(uri, local, 'Alt', [{ ...element(ns.rdf, 'li', [value]), attributes: [language] }, ...others]));
  }

  private set(property: XmlElement): void {
    this.properties.set(keyOf(property.uri, property.local), property);
  }

  /** The document for a file. */
  toString(): string {
    return [
      '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>',
      `<x:xmpmeta xmlns:x="${ns.x}">`,
      this.rdf('\n   '),
      '</x:xmpmeta>',
      '<?xpacket end="w"?>',
      '',
    ].join('\n');
  }

  /** The shortest document with the same properties. */
  compact(): string {
    return this.rdf('');
  }

  private rdf(between: string): string {
    const properties = [...this.properties.values()];
    const prefixes = prefixesOf([element(ns.rdf, 'RDF', []), ...properties], PREFERRED);
    const declared = [...prefixes].filter(([, prefix]) => prefix !== 'xml');
    const declarations = declared.map(([uri, prefix]) => ` xmlns:${prefix}="${uri}"`).join('');
    const content = properties.map((property) => between + writeXml(property, prefixes)).join('');
    const end = between === '' ? '' : '\n';
    return `<rdf:RDF${declarations}>${end}<rdf:Description rdf:about="">${content}${end}</rdf:Description>${end}</rdf:RDF>`;
  }
}

function keyOf(uri: string, local: string): string {
  return `${uri} ${local}`;
}

/** Undefined for a value that is no array. */
function itemsOf(property: XmlElement): XmlElement[] | undefined {
  const list = elementsOf(property).find(({ uri, local }) => uri === ns.rdf && ['Bag', 'Seq', 'Alt'].includes(local));
  return list && elementsOf(list).filter(({ uri, local }) => uri === ns.rdf && local === 'li');
}

function languageOf({ attributes }: XmlElement): string | undefined {
  return attributes.find(({ uri, local }) => uri === ns.xml && local === 'lang')?.value.toLowerCase();
}

function element(uri: string, local: string, children: readonly (XmlElement | string)[]): XmlElement {
  return { uri, local, prefix: PREFERRED[uri] ?? '', attributes: [], children };
}

function array(uri: string, local: string, kind: 'Bag' | 'Seq' | 'Alt', items: readonly XmlElement[]): XmlElement {
  return element(uri, local, [element(ns.rdf, kind, items)]);
}
