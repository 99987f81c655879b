import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LinkifyIt } from 'linkify-it';
import { htmlOf, plainTextOf, textOf } from '../../src/adapters/smtp/mail-texts.js';
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

describe('a name that a person chose', () => {
  const named = (account: string) => {
    const { invitation } = sampleMails;
    return rendered({ ...invitation, values: { ...invitation.values, account } });
  };

  it.each([
    ['a line break', 'Studio\r\nBcc: everyone@example.com', 'Studio Bcc: everyone@ example. com'],
    ['separators of lines', 'Studio\u2028South\u2029\u0085East', 'Studio South East'],
    ['marks that turn the direction', 'Studio \u202Egnp.exe\u2066\u200F', 'Studio gnp. exe'],
    ['an address to open', 'See https://evil.example/now', 'See https: / /evil. example/now'],
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

describe('programs that make links of what looks like one', () => {
  const program = new LinkifyIt({ fuzzyIP: true });
  const linked = (text: string) => (program.match(text) ?? []).map(({ url }) => url);
  const hostile = [
    'http://evil.example click',
    'HTTPS:\\\\evil.example',
    'www.evil.example/verify?id=1',
    'Call evil.com now',
    'почта.рф',
    '例え。テスト.jp',
    'mailto:boss@evil.example',
    'boss@evil.example',
    '//evil.example/a',
    '192.0.2.1/login',
    'ftp://192.0.2.1:21',
  ];

  it.each(all)('find only the intended addresses in $template, whatever the names of people', (mail) => {
    for (const name of hostile) {
      // What is stored as an address: anything with one @.
      const address = `${name.replace(/[\s@]/g, '/')}?@evil.example`;
      const values = { ...mail.values, account: name, name, browser: name, email: address };
      const addresses = { ...('owners' in values && { owners: [address] }), invitedBy: address };
      const { subject, plain, html } = rendered({ ...mail, values: { ...values, ...addresses } } as Mail);
      const meant = [
        (mail.values as { link?: string }).link ?? (mail.values as { home?: string }).home,
        'http://192.0.2.7',
      ];
      const seen = html.replace(/<[^>]*>/g, ' ').replaceAll('&quot;', '"');
      const found = [subject, plain, seen].flatMap(linked).filter((url) => !meant.includes(url));
      expect([name, found]).toEqual([name, []]);
    }
  });

  it.each(['anna@example.com', "o'neil+photos@sub.example.com"])(
    'may link %s as a mail address, which is shown unchanged',
    (email) => {
      const { email_changed } = sampleMails;
      const { plain } = rendered({ ...email_changed, values: { ...email_changed.values, email } });
      expect(plain.replace(/\n/g, ' ')).toContain(`is ${email} from now on`);
      expect(linked(plain)).toContain(`mailto:${email}`);
    },
  );
});

describe('a person without a password', () => {
  const notices = all.filter((mail) => 'owners' in mail.values);
  const textFor = (mail: Mail) => {
    const { subject, plain } = rendered({ ...mail, values: { ...mail.values, hasPassword: false } } as Mail);
    return `${subject}\n${plain.replace(/\n/g, ' ')}`;
  };

  it.each(notices.filter(({ template }) => template !== 'password_changed'))(
    'is not referred to a password by $template',
    (mail) => {
      expect(textFor(mail)).not.toMatch(/password/i);
    },
  );

  it('learns what to do instead', () => {
    expect(textFor(sampleMails.new_sign_in)).toContain('sign out everywhere else under Account now');
    expect(textFor(sampleMails.password_changed)).toMatch(/^Your password was removed\nYou sign in .* at a provider/);
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
