import { isLoopback } from './core/access/outgoing-url.js';
import type { EnvironmentReader } from './environment-reader.js';

export interface SmtpConfig {
  readonly host: string;
  readonly port: number;
  /** `smtps:`: encrypted from the first byte. */
  readonly implicitTls: boolean;
  /** Neither encryption nor a certificate is required. */
  readonly plaintextAllowed: boolean;
  readonly credentials: { readonly user: string; readonly pass: string } | null;
  readonly from: { readonly name: string; readonly address: string };
}

/** SMTP_URL, MAIL_FROM and SMTP_TLS, if the first is set. */
export function readSmtp(read: EnvironmentReader): SmtpConfig {
  const url = new URL(read.url('SMTP_URL', ['smtp:', 'smtps:']) ?? 'smtp://localhost');
  const implicitTls = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const tlsByDefault = isLoopback(url.hostname) ? 'optional' : 'required';
  if (host === '') read.problem('SMTP_URL must name a host, as in smtp://user:password@mail.example.com:587.');
  return {
    host,
    port: Number(url.port) || (implicitTls ? 465 : 587),
    implicitTls,
    plaintextAllowed: read.oneOf('SMTP_TLS', ['required', 'optional'], tlsByDefault) === 'optional',
    credentials: url.username === '' ? null : { user: decoded(read, url.username), pass: decoded(read, url.password) },
    from: readFrom(read),
  };
}

function decoded(read: EnvironmentReader, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    read.problem('SMTP_URL: a % in the user name or the password must be written as %25.');
    return '';
  }
}

/** `Photos <photos@example.com>`, or the address alone. */
function readFrom(read: EnvironmentReader): SmtpConfig['from'] {
  const text = read.needed('MAIL_FROM', 'SMTP_URL is set');
  const [, name = '', inside, alone] = /^(?:([^<>\p{Cc}]*)<([^\s<>]+)>|([^\s<>]+))$/u.exec(text) ?? [];
  const address = inside ?? alone ?? '';
  if (text !== '' && !/^[^\s@<>",;]+@[^\s@<>",;]+$/.test(address)) {
    read.problem('MAIL_FROM must be an address such as photos@example.com, or Photos <photos@example.com>.');
  }
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}
