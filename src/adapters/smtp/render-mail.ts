import type { MailText, Part } from './mail-text.js';

/** Of a line, without its end; RFC 5322 recommends 78. Addresses of links stay whole, as they would not work otherwise. */
const WIDTH = 76;

const REASON =
  'You get this mail because you have access to a photo service, or are invited to it. Nobody reads replies.';

/** The plain text of a mail. */
export function plainTextOf({ parts }: MailText): string {
  const blocks = [...parts.map(plainPart), `-- \n${wrapped(REASON)}`];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function plainPart(part: Part): string {
  if (part.kind === 'paragraph') return wrapped(part.text);
  if (part.kind === 'link') return `${part.label}:\n${part.url}`;
  return part.rows.map(([label, value]) => wrapped(`${label}: ${value}`)).join('\n');
}

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ').flatMap(pieces)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

/** A word that is longer than a line. */
function pieces(word: string): readonly string[] {
  return word.length <= WIDTH ? [word] : (word.match(new RegExp(`.{1,${WIDTH}}`, 'gu')) ?? []);
}

const PAGE = 'font:16px/1.5 system-ui,sans-serif;color:#1d2125;background:#ffffff;margin:0;padding:24px';
const BUTTON =
  'display:inline-block;padding:10px 18px;border-radius:6px;background:#1f5fbf;color:#ffffff;text-decoration:none';
const SOFT = 'color:#5b6470;font-size:14px';

/** The HTML of a mail: without pictures, styles from elsewhere, or anything that tells that it was read. */
export function htmlOf({ subject, parts }: MailText): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    // Some programs make links of what looks like a telephone number or a place, too.
    '<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">',
    `<title>${escaped(subject)}</title></head>`,
    `<body style="${PAGE}"><main style="display:block;max-width:560px">`,
    `<h1 style="font-size:20px;margin:0 0 16px">${escaped(subject)}</h1>`,
    ...parts.map(htmlPart),
    `<p style="${SOFT}">${escaped(REASON)}</p>`,
    '</main></body></html>',
    '',
  ].join('\n');
}

function htmlPart(part: Part): string {
  if (part.kind === 'paragraph') return `<p>${escaped(part.text)}</p>`;
  if (part.kind === 'facts') {
    const rows = part.rows.map(([label, value]) => `<strong>${escaped(label)}:</strong> ${escaped(value)}`);
    return rows.length === 0 ? '' : `<p>${rows.join('<br>\n')}</p>`;
  }
  const url = escaped(part.url);
  return `<p><a href="${url}" style="${BUTTON}">${escaped(part.label)}</a></p>
<p style="${SOFT}">Or open this address:<br>
<a href="${url}" style="color:#1f5fbf;word-break:break-all">${url}</a></p>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
