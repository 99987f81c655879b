import { operatorFor } from '../../../src/core/customers/customer.js';
import type { Ports } from '../../../src/core/ports.js';
import type { Id } from '../../../src/core/shared/ids.js';
import { inviteUser } from '../../../src/core/users/people/one-time-link.js';
import type { Role } from '../../../src/core/users/user.js';
import { type Answer, type RequestParts, send } from './http-client.js';

/** What those choose who come in by `enter`. */
export const PASSWORD = 'five calm words of mine';

/** A browser without scripts: it keeps cookies, sends the fields of forms, and goes where it is sent only when told. */
export class BrowserClient {
  readonly cookies = new Map<string, string>();
  /** Every Set-Cookie that came, as it stood. */
  readonly setCookies: string[] = [];

  constructor(private readonly url: string) {}

  async send(parts: RequestParts): Promise<Answer> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', ...(cookie && { cookie }), ...parts.headers };
    const answer = await send(this.url, { ...parts, headers });
    for (const line of answer.headers['set-cookie'] ?? []) this.keep(line);
    return answer;
  }

  get(path: string, headers: RequestParts['headers'] = {}): Promise<Answer> {
    return this.send({ path, headers });
  }

  /** Loads the page, then sends the form on it that goes to `action` (the page itself unless given), with its hidden fields and these. */
  async submit(page: string, fields: Fields = {}, action = page): Promise<Answer> {
    const shown = await this.get(page);
    return this.post(action, { ...hiddenFields(formOn(shown.text, action)), ...fields });
  }

  /** Loads a page, as in a tab of its own. @returns what the form on it that goes to `action` would send if nobody touched it. */
  async open(page: string, action = page): Promise<Fields> {
    return this.fieldsOn((await this.get(page)).text, action);
  }

  /** The same of a page that has been loaded. */
  fieldsOn(html: string, action: string): Fields {
    return fieldsOf(formOn(html, action));
  }

  /** Sends fields as they are. */
  post(path: string, fields: Fields, headers: RequestParts['headers'] = {}): Promise<Answer> {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields)) {
      for (const each of [value].flat()) body.append(name, each);
    }
    const type = { 'content-type': 'application/x-www-form-urlencoded', origin: this.url };
    return this.send({ method: 'POST', path, body: body.toString(), headers: { ...type, ...headers } });
  }

  /** Comes in by a one-time link of this customer, with `PASSWORD`. */
  async enter(ports: Ports, customerId: Id, role: Role = 'owner', email = `${role}@example.com`): Promise<Id> {
    const { link: url, user } = await inviteUser(ports, operatorFor(customerId), { email, role });
    const answer = await this.submit(new URL(url).pathname, { password: PASSWORD });
    if (answer.status !== 303) throw new Error(`the link was refused: ${answer.text}`);
    return user.id;
  }

  /** Another browser, into which somebody has planted the cookies of this one. */
  copy(): BrowserClient {
    const copy = new BrowserClient(this.url);
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }

  private keep(line: string): void {
    this.setCookies.push(line);
    const [pair = '', ...rules] = line.split('; ');
    const at = pair.indexOf('=');
    const isGone = rules.some((rule) => rule === 'Expires=Thu, 01 Jan 1970 00:00:00 GMT');
    if (isGone) this.cookies.delete(pair.slice(0, at));
    else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}

/**
 * Session fixation: signs in a browser into which somebody has planted their own cookies (those of the sign-in page, unless the planter has
 * been elsewhere). Whether each of the two is signed in after that.
 */
export async function signInPlanted(planter: BrowserClient, signIn: (browser: BrowserClient) => Promise<unknown>) {
  await planter.get('/settings/sign-in');
  const planted = planter.copy();
  await signIn(planted);
  const isIn = async (browser: BrowserClient) => (await browser.get('/settings/account')).status === 200;
  return { planted: await isIn(planted), planter: await isIn(planter) };
}
export const onlyPlanted = { planted: true, planter: false };

export type Fields = Readonly<Record<string, string | readonly string[]>>;

function formOn(html: string, action: string): string {
  const forms = html.match(/<form[\s\S]*?<\/form>/g) ?? [];
  const form = forms.find((each) => each.includes(`action="${action.replaceAll('&', '&amp;')}"`));
  if (form === undefined) throw new Error(`there is no form that goes to ${action} in:\n${html}`);
  return form;
}

function hiddenFields(form: string): Record<string, string> {
  const inputs = form.match(/<input type="hidden"[^>]*>/g) ?? [];
  return Object.fromEntries(inputs.map((input) => [attribute(input, 'name'), attribute(input, 'value')]));
}

/** Of every kind of element, as a browser sends them. */
function fieldsOf(form: string): Record<string, string | string[]> {
  const fields = new Map<string, string[]>();
  const add = (name: string, value: string) => name && fields.set(name, [...(fields.get(name) ?? []), plain(value)]);
  for (const input of form.match(/<input[^>]*>/g) ?? []) {
    const isChoice = ['checkbox', 'radio'].includes(attribute(input, 'type'));
    if (!isChoice || / checked/.test(input))
      add(attribute(input, 'name'), attribute(input, 'value') || (isChoice ? 'on' : ''));
  }
  for (const [area, text = ''] of form.matchAll(/<textarea[^>]*>([^<]*)<\/textarea>/g)) {
    add(attribute(area, 'name'), text.replace(/^\n/, '').replaceAll('\n', '\r\n'));
  }
  for (const [select, options = ''] of form.matchAll(/<select[^>]*>([\s\S]*?)<\/select>/g)) {
    const all = options.match(/<option[^>]*>/g) ?? [];
    const chosen = all.find((option) => / selected/.test(option)) ?? all[0] ?? '';
    add(attribute(select, 'name'), attribute(chosen, 'value'));
  }
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? '') : values]),
  );
}

function plain(html: string): string {
  return html.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function attribute(element: string, name: string): string {
  return new RegExp(` ${name}="([^"]*)"`).exec(element)?.[1] ?? '';
}
