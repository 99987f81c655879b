import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf } from '../../src/adapters/smtp/mail-texts.js';
import { htmlOf, plainTextOf } from '../../src/adapters/smtp/render-mail.js';
import type { Mail } from '../../src/core/mail/mail.js';
import { sampleMails } from '../support/sample-mails.js';

const fixture = (name: string) => readFileSync(join(__dirname, '../fixtures/mails', name), 'utf8');
const all: readonly Mail[] = Object.values(sampleMails);
const rendered = (mail: Mail) => {
  const text = textOf(mail);
  return { subject: text.subject, plain: plainTextOf(text), html: htmlOf(text) };
};

it.each(all)('$template reads as it does in its file', (mail) => {
  const { subject, plain } = rendered(mail);
  expect(`Subject: ${subject}\n\n${plain}`).toBe(fixture(`${mail.template}.txt`));
});

it('the HTML of an invitation is as in its file', () => {
  expect(rendered(sampleMails.invitation).html).toBe(fixture('invitation.html'));
});

it.each(all)('$template: HTML and text say the same, and the HTML gets nothing from elsewhere', (mail) => {
  const { plain, html } = rendered(mail);
  const words = (text: string) => new Set(text.match(/\p{L}{3,}/gu));
  const seen = html.replace(/<title>.*<\/title>/, '').replace(/<[^>]*>/g, ' ');
  const missing = [...words(plain)].filter((word) => !words(seen).has(word));
  expect(missing).toEqual([]);
  expect(html).not.toMatch(/<img|<script|<link|<iframe|url\(|src=|@import|<form/i);
  const values = mail.values as { link?: string; home?: string };
  const addresses = html.match(/https?:\/\/[^"<\s]+/g) ?? [];
  expect(new Set(addresses)).toEqual(new Set([values.link ?? values.home]));
});

it.each(all)('$template: no line of the text is longer than 78 characters, except a link', (mail) => {
  const long = { account: 'W'.repeat(200), name: 'n'.repeat(200), email: `${'e'.repeat(240)}@example.com` };
  const { plain } = rendered({ ...mail, values: { ...mail.values, ...long } } as Mail);
  const lines = plain.split('\n').filter((line) => line.length > 78);
  expect(lines.filter((line) => !/^https:\/\/\S+$/.test(line))).toEqual([]);
});

describe('a name that somebody chose', () => {
  const named = (account: string) => {
    const { invitation } = sampleMails;
    return rendered({ ...invitation, values: { ...invitation.values, account } });
  };

  it.each([
    ['a line break', 'Studio\r\nBcc: everyone@example.com', 'Studio Bcc: everyone@example. com'],
    ['separators of lines', 'Studio\u2028South\u2029\u0085East', 'Studio South East'],
    ['marks that turn the direction', 'Studio \u202Egnp.exe\u2066\u200F', 'Studio gnp. exe'],
    ['an address to open', 'See https://evil.example/now', 'See https: //evil. example/now'],
    ['more than a line', 'x'.repeat(100), `${'x'.repeat(59)}…`],
  ])('has nothing left of %s', (_, name, shown) => {
    const { subject, plain } = named(name);
    expect(subject).toBe(`Invitation to ${shown}`);
    expect(plain.replace(/\n/g, ' ')).toContain(`“${shown}”`);
  });

  it('is escaped in HTML', () => {
    const { html, plain } = named(`<script>alert("1")</script> & 'Sons'`);
    expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;Sons&#39;');
    expect(html).not.toContain('<script');
    expect(plain.replace(/\n/g, ' ')).toContain(`“<script>alert("1")</script> & 'Sons'”`);
  });
});

it.each([
  ['Europe/Paris', '2026-07-01T22:05:00.000Z', '2 July 2026, 00:05 (Europe/Paris, UTC+02:00)'],
  ['Asia/Kathmandu', '2026-01-01T00:00:00.000Z', '1 January 2026, 05:45 (Asia/Kathmandu, UTC+05:45)'],
  ['UTC', '2026-12-31T23:59:59.000Z', '31 December 2026, 23:59 (UTC)'],
])('a time in %s says its zone', (timeZone, at, shown) => {
  const { factor_removed } = sampleMails;
  const { plain } = rendered({ ...factor_removed, values: { ...factor_removed.values, timeZone, at } });
  expect(plain).toContain(`When: ${shown}\n`);
});
