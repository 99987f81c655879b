import { normalizeRange } from '../core/access/ip-list.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads variables as typed values. Each error is added to `problems`, so that all are reported at once; empty means unset. */
export class EnvironmentReader {
  constructor(
    private readonly env: Environment,
    private readonly problems: string[],
  ) {}

  text(name: string, fallback: string): string {
    return this.value(name) ?? fallback;
  }

  whole(name: string, fallback: number, min: number, max: number): number {
    const text = this.value(name);
    return text === null ? fallback : (this.wholeOf(text, `${name} must be`, min, max) ?? fallback);
  }

  /** Null for the word, and when it is unset. */
  wholeOr(name: string, word: string, min: number, max: number): number | null {
    const text = this.value(name) ?? word;
    return text === word ? null : this.wholeOf(text, `${name} must be ${word} or`, min, max);
  }

  private wholeOf(text: string, must: string, min: number, max: number): number | null {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    this.problems.push(`${must} a whole number from ${min} to ${max}, not "${text}".`);
    return null;
  }

  oneOf<T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const text = this.value(name);
    if (text === null) return fallback;
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) this.problems.push(`${name} must be ${choices.join(', ')}, not "${text}".`);
    return choice ?? fallback;
  }

  /** Separated by commas or spaces; empty when it is unset. */
  list(name: string): readonly string[] {
    return (this.value(name) ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
  }

  /** Reports what else is wrong. */
  problem(sentence: string): void {
    this.problems.push(sentence);
  }

  has(name: string): boolean {
    return this.value(name) !== null;
  }

  needed(name: string, why: string): string {
    const text = this.value(name);
    if (text === null) this.problems.push(`${name} must be set because ${why}.`);
    return text ?? '';
  }

  yesOrNo(name: string, fallback: boolean): boolean {
    return this.oneOf(name, ['true', 'false'], fallback ? 'true' : 'false') === 'true';
  }

  url(name: string, protocols: readonly string[]): string | null {
    const text = this.value(name);
    if (text === null) return null;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
    // The value is not repeated: it may contain a password.
    this.problems.push(
      `${name} must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}.`,
    );
    return null;
  }

  secrets(name: string): readonly [string, ...string[]] | null {
    // A secret may contain spaces.
    const [newest, ...older] = (this.value(name) ?? '').split(',').flatMap((secret) => secret.trim() || []);
    if (newest === undefined) return null;
    if ([newest, ...older].some((secret) => secret.length < 32)) {
      this.problems.push(
        `${name} must be one or more secrets of at least 32 characters, separated by commas, newest first. Create one with: openssl rand -hex 32`,
      );
    }
    return [newest, ...older];
  }

  ranges(name: string): readonly string[] {
    const entries = (this.value(name) ?? '').split(',').flatMap((entry) => entry.trim() || []);
    return entries.flatMap((entry) => {
      const range = normalizeRange(entry);
      if (range === null) this.problems.push(`${name}: "${entry}" is not an address or CIDR range.`);
      return range ?? [];
    });
  }

  /** Contact addresses, as URIs (RFC 9116 §2.5.3), separated by commas or spaces; a plain e-mail address becomes `mailto:`. */
  contacts(name: string): readonly string[] {
    return this.list(name).flatMap((entry) => {
      const uri = contactUri(entry);
      if (uri === null) {
        this.problems.push(`${name}: "${entry}" is not an e-mail address or a mailto:, https: or tel: URI.`);
      }
      return uri ?? [];
    });
  }

  private value(name: string): string | null {
    const value = this.env[name]?.trim();
    return value === undefined || value === '' ? null : value;
  }
}

/** An e-mail address of characters that need no encoding in a URI (RFC 6068 §2); others must be given as `mailto:`, percent-encoded. */
const ADDRESS = "[A-Za-z0-9!$'*+._~-]+@[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*";
const PLAIN_ADDRESS = new RegExp(`^${ADDRESS}$`);
const MAILTO = new RegExp(`^mailto:${ADDRESS.replace('[', '[%')}(\\?[\\x21-\\x7e]+)?$`, 'i');
/** With the country code (RFC 3966 §5.1.4): the reader may be anywhere. */
const TEL = /^tel:\+[0-9][0-9.()-]*(;[A-Za-z0-9=.()+-]+)*$/i;

function contactUri(entry: string): string | null {
  if (PLAIN_ADDRESS.test(entry)) return `mailto:${entry}`;
  if (MAILTO.test(entry) || TEL.test(entry)) return entry;
  if (!/^https:\/\//i.test(entry) || !URL.canParse(entry)) return null;
  const { username, password, href } = new URL(entry);
  return username === '' && password === '' ? href : null;
}
