import { cleanText } from '../../core/shared/text.js';

/** What receivers might answer with and nobody should read in a log: each pattern keeps its first group. */
const secrets: readonly RegExp[] = [
  /\b(phs_[a-z]+_|whsec_)[\w+/=-]+/g,
  /\b((?:Bearer|Basic)\s+)[\w.~+/=-]+/gi,
  /((?:token|secret|password|api_?key)=)[^&\s"<]+/gi,
  /\b(ey)J[\w.-]+/g,
];

/** A text of JSON with its name. */
const MEMBER = /"([^"]*)"(\s*:\s*")((?:[^"\\]|\\.)*)/g;
const SECRET_NAME = /token|secret|passw|api_?key|authorization|cookie|credential/i;

/** What would act on a terminal, or turn the text round. Lines and tabs stay. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu;

/** The beginning of a response for the delivery log: readable, without what looks like a secret; null when nothing is left. */
export function answerText(body: string): string | null {
  const readable = cleanText(body).replaceAll('\r\n', '\n').replace(UNSEEN, '�');
  const named = readable.replace(MEMBER, (member: string, name: string, between: string) => {
    return SECRET_NAME.test(name) ? `"${name}"${between}…` : member;
  });
  return secrets.reduce((text, secret) => text.replace(secret, '$1…'), named) || null;
}
