import { cleanText } from '../../core/shared/text.js';

/** What receivers might answer with and nobody should read in a log: each pattern keeps its first group. */
const secrets: readonly RegExp[] = [
  /\b(phs_[a-z]+_|whsec_)[\w+/=-]+/g,
  /\b((?:Bearer|Basic)\s+)[\w.~+/=-]+/gi,
  /("[^"]*(?:token|secret|passw|api_?key|authorization|cookie|credential)[^"]*"\s*:\s*")(?:[^"\\]|\\.)*/gi,
  /((?:token|secret|password|api_?key)=)[^&\s"<]+/gi,
  /\b(ey)J[\w-]+\.[\w-]+\.[\w-]*/g,
];

/** What would act on a terminal, or turn the text round. Lines and tabs stay. */
const UNSEEN = /(?![\t\n])[\p{Cc}\p{Bidi_Control}]/gu;

/** The beginning of a response for the delivery log: readable, without what looks like a secret; null when nothing is left. */
export function answerText(body: string): string | null {
  const readable = cleanText(body).replaceAll('\r\n', '\n').replace(UNSEEN, '�');
  return secrets.reduce((text, secret) => text.replace(secret, '$1…'), readable) || null;
}
