import type { ComponentChildren } from 'preact';
import { linkTarget } from './guides.js';

/**
 * The Markdown of our own guides as elements: headings, paragraphs, lists, tables, code, quotes; inline code, bold and links. Everything
 * else remains text, so nothing in a guide can become a script.
 */
export function Markdown({ text }: { text: string }) {
  return <>{withTabs(blocksOf(text)).map(blockElement)}</>;
}

type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'paragraph'; readonly text: string };

interface Tabs {
  readonly kind: 'tabs';
  readonly id: string;
  readonly tabs: readonly TabbedCode[];
}

const FENCE = /^```([a-z]*)$/;
const HEADING = /^(#{1,4}) (.+)$/;
const ITEM = /^(?:[-*]|[0-9]+\.) (.*)$/;

export function blocksOf(markdown: string): readonly Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  while (lines.length > 0) {
    const line = lines.shift() ?? '';
    const fence = FENCE.exec(line);
    const heading = HEADING.exec(line);
    if (line.trim() === '') continue;
    if (fence) blocks.push({ kind: 'code', language: fence[1] ?? '', text: upToFence(lines) });
    else if (heading) blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, text: heading[2] ?? '' });
    else if (line.startsWith('|'))
      blocks.push({ kind: 'table', rows: rowsOf([line, ...taken(lines, (next) => next.startsWith('|'))]) });
    else if (ITEM.test(line)) {
      const more = taken(lines, (next) => ITEM.test(next) || /^\s+\S/.test(next));
      blocks.push({ kind: 'list', ordered: /^[0-9]/.test(line), items: itemsOf([line, ...more]) });
    } else blocks.push({ kind: 'paragraph', text: [line, ...taken(lines, isText)].join(' ') });
  }
  return blocks;
}

/** The beginning of a paragraph that introduces the code of one language. */
const LANGUAGE = /^(?:A )?(TypeScript|Python|PHP|Go|Ruby|shell)\b.*:$/;

/** Blocks of code in several languages that follow each other, each behind a paragraph that names its language, become tabs. */
function withTabs(blocks: readonly Block[]): readonly (Block | Tabs)[] {
  const joined: (Block | Tabs)[] = [];
  for (let at = 0; at < blocks.length; at += 1) {
    const tabs: TabbedCode[] = [];
    for (let next = at; ; next += 2) {
      const [about, code] = [blocks[next], blocks[next + 1]];
      const language = about?.kind === 'paragraph' && LANGUAGE.exec(about.text)?.[1];
      if (!language || code?.kind !== 'code') break;
      const label = language.replace(/^s/, 'S');
      tabs.push({ label, code: code.text, note: <p>{inline(about.text)}</p> });
    }
    const block = blocks[at];
    if (tabs.length > 1) joined.push({ kind: 'tabs', id: `tabs-${at}`, tabs });
    else if (block) joined.push(block);
    if (tabs.length > 1) at += 2 * tabs.length - 1;
  }
  return joined;
}

function upToFence(lines: string[]): string {
  const text = taken(lines, (line) => line !== '```').join('\n');
  lines.shift();
  return text;
}

function taken(lines: string[], isNext: (line: string) => boolean): string[] {
  const some: string[] = [];
  while (lines[0] !== undefined && isNext(lines[0])) some.push(lines.shift() ?? '');
  return some;
}

function isText(line: string): boolean {
  return line.trim() !== '' && !FENCE.test(line) && !HEADING.test(line) && !ITEM.test(line) && !line.startsWith('|');
}

function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item) items.push(item[1] ?? '');
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return items;
}

function rowsOf(lines: readonly string[]): string[][] {
  const rows = lines.map((line) =>
    line
      .replace(/^\||\|\s*$/g, '')
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
  return rows.filter((cells) => !cells.every((cell) => /^:?-+:?$/.test(cell)));
}

function blockElement(block: Block | Tabs, index: number): ComponentChildren {
  switch (block.kind) {
    case 'heading':
      return <Heading key={index} level={block.level} text={block.text} />;
    case 'code':
      return (
        <pre key={index}>
          <code>{block.text}</code>
        </pre>
      );
    case 'tabs':
      return <CodeTabs key={index} id={block.id} legend="The same in several languages" tabs={block.tabs} />;
    case 'list': {
      const items = block.items.map((item) => <li key={item}>{inline(item)}</li>);
      return block.ordered ? <ol key={index}>{items}</ol> : <ul key={index}>{items}</ul>;
    }
    case 'table':
      return <Table key={index} rows={block.rows} />;
    case 'paragraph':
      return <p key={index}>{inline(block.text)}</p>;
  }
}

function Heading({ level, text }: { level: number; text: string }) {
  const Tag = `h${level}` as 'h1' | 'h2' | 'h3' | 'h4';
  return <Tag id={anchorOf(text)}>{inline(text)}</Tag>;
}

/** The same as in other Markdown renderers. */
export function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} -]/gu, '')
    .trim()
    .replace(/ /g, '-');
}

function Table({ rows: [head = [], ...rows] }: { rows: readonly (readonly string[])[] }) {
  const named = head.some((cell) => cell !== '');
  return (
    <table>
      {named && (
        <thead>
          <tr>
            {head.map((cell) => (
              <th key={cell} scope="col">
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((cells) => (
          <tr key={cells.join()}>
            {cells.map((cell, at) => (
              <td key={`${at} ${cell}`}>{inline(cell)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Code, strong words, a link. */
const marks = [/`[^`]+`/y, /\*\*[^*]+\*\*/y, /\[[^[\]]+\]\([^()\s]+\)/y];

/** The text in parts: what is marked, and what is between. */
function marked(text: string): readonly string[] {
  const parts: string[] = [];
  let begin = 0;
  for (let at = 0; at < text.length; at += 1) {
    for (const mark of marks) {
      mark.lastIndex = at;
      const [found] = mark.exec(text) ?? [];
      if (found === undefined) continue;
      parts.push(text.slice(begin, at), found);
      begin = at + found.length;
      at = begin - 1;
      break;
    }
  }
  return [...parts, text.slice(begin)];
}

/** Code first: its content is not interpreted. */
export function inline(text: string): ComponentChildren[] {
  return marked(text).map((part, at) => {
    const key = `${at} ${part}`;
    if (/^`.+`$/.test(part)) return <code key={key}>{part.slice(1, -1)}</code>;
    if (/^\*\*.+\*\*$/.test(part)) return <strong key={key}>{inline(part.slice(2, -2))}</strong>;
    const [, words, href] = /^\[([^\]]+)\]\(([^)\s]+)\)$/.exec(part) ?? [];
    if (words === undefined || href === undefined) return part;
    const target = linkTarget(href);
    return target === null ? (
      <span key={key}>{inline(words)}</span>
    ) : (
      <a key={key} href={target}>
        {inline(words)}
      </a>
    );
  });
}

interface TabbedCode {
  readonly label: string;
  readonly code: string;
  /** The text before it. */
  readonly note?: ComponentChildren;
}

/** The same in several languages. Without scripts or `:has()` in the browser, radio buttons still choose, or all are shown. */
export function CodeTabs({ id, legend, tabs }: { id: string; legend: string; tabs: readonly TabbedCode[] }) {
  return (
    <fieldset class="tabs">
      <legend class="unseen">{legend}</legend>
      <div class="labels">
        {tabs.map(({ label }, at) => (
          <label key={label}>
            <input type="radio" name={id} value={label} checked={at === 0} />
            {label}
          </label>
        ))}
      </div>
      {tabs.map(({ label, code, note }) => (
        <div key={label} data-language={label}>
          {note}
          <pre tabindex={0}>
            <code>{code}</code>
          </pre>
        </div>
      ))}
    </fieldset>
  );
}
