import MarkdownIt from 'markdown-it';
import { renderToString } from 'preact-render-to-string';
import { linkTarget } from './guides.js';

type Tokens = ReturnType<MarkdownIt['parse']>;

/** HTML in a text remains text, so nothing in a guide can become a script. */
const markdown = new MarkdownIt();
const { escapeHtml } = markdown.utils;
markdown.renderer.rules.fence = (tokens, at) => `<pre><code>${escapeHtml(codeOf(tokens[at]))}</code></pre>\n`;
markdown.core.ruler.push('documentation', ({ tokens }) => {
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      // The same anchors as in other Markdown renderers.
      const words = (tokens[at + 1]?.content ?? '').toLowerCase().replace(/[^\p{L}\p{N} -]/gu, '');
      token.attrSet('id', words.trim().replace(/ /g, '-'));
    }
    // The policy of the pages refuses styles, which align columns.
    if (/^t[hd]_open$/.test(token.type)) token.attrs = token.tag === 'th' ? [['scope', 'col']] : null;
    const links = (token.children ?? []).filter(({ type }) => type.startsWith('link_'));
    for (const [place, link] of links.entries()) {
      if (link.nesting < 0) continue;
      const target = linkTarget(String(link.attrGet('href')));
      if (target !== null) link.attrSet('href', target);
      // The file is only in the repository.
      else for (const each of [link, links[place + 1] ?? link]) Object.assign(each, { tag: 'span', attrs: null });
    }
  }
});

function codeOf(token?: Tokens[number]): string {
  return token?.content.replace(/\n$/, '') ?? '';
}

/** A text as HTML, with blocks of code that follow each other in several languages as tabs. */
export function markdownHtml(text: string): string {
  const tokens = markdown.parse(text, {});
  const parts: string[] = [];
  let begin = 0;
  const render = (end: number) => parts.push(markdown.renderer.render(tokens.slice(begin, end), markdown.options, {}));
  for (let at = 0; at < tokens.length; at += 1) {
    const tabs = tabsAt(tokens, at);
    if (tabs.length < 2) continue;
    render(at);
    parts.push(renderToString(<CodeTabs id={`tabs-${at}`} legend="The same in several languages" tabs={tabs} />));
    begin = at + 4 * tabs.length;
    at = begin - 1;
  }
  render(tokens.length);
  // A table whose columns have no names has no head.
  return parts.join('').replace(/<thead>\n<tr>\n(?:<th scope="col"><\/th>\n)+<\/tr>\n<\/thead>\n/g, '');
}

/** The beginning of a paragraph that introduces the code of one language. */
const LANGUAGE = /^(?:A )?(TypeScript|Python|PHP|Go|Ruby|shell)\b.*:$/s;

/** The code in several languages from here on, each behind a paragraph that names its language. */
function tabsAt(tokens: Tokens, begin: number): readonly TabbedCode[] {
  const tabs: TabbedCode[] = [];
  for (let at = begin; ; at += 4) {
    const [, about, , code] = tokens.slice(at, at + 4);
    const language = tokens[at]?.type === 'paragraph_open' && LANGUAGE.exec(about?.content ?? '')?.[1];
    if (!language || code?.type !== 'fence') return tabs;
    tabs.push({ label: language.replace(/^s/, 'S'), code: codeOf(code), note: about?.content ?? '' });
  }
}

/** A text as elements. Its HTML is safe to insert: markdown-it has escaped what the text brought. */
export function Markdown({ text }: { text: string }) {
  return <div dangerouslySetInnerHTML={{ __html: markdownHtml(text) }} />;
}

/** A text without blocks, escaped in the same way. */
export function Inline({ text }: { text: string }) {
  return <span dangerouslySetInnerHTML={{ __html: markdown.renderInline(text) }} />;
}

interface TabbedCode {
  readonly label: string;
  readonly code: string;
  /** The text before it. */
  readonly note?: string;
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
          {note && <Markdown text={note} />}
          <pre tabindex={0}>
            <code>{code}</code>
          </pre>
        </div>
      ))}
    </fieldset>
  );
}

/** The sections of a text, each with what is in it as plain text, and the anchor of its heading, which is empty for the first. */
export function sectionsOf(text: string) {
  const sections: { title: string; anchor: string; text: string }[] = [];
  const tokens = markdown.parse(text, {});
  for (const [at, { type, tag, attrs, children, content }] of tokens.entries()) {
    const words =
      children?.map((child) => child.content || (child.type === 'softbreak' ? ' ' : '')).join('') ?? content;
    if (type === 'heading_open')
      sections.push({ title: '', anchor: tag === 'h1' ? '' : String(attrs?.[0]?.[1]), text: '' });
    const section = sections.at(-1);
    if (section === undefined) continue;
    if (tokens[at - 1]?.type === 'heading_open') section.title = words;
    else section.text = `${section.text} ${words}`.trim();
  }
  return sections;
}
