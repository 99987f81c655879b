import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** It sends `subject=NAME`. */
const SIGN_IN_PAGE = `<!doctype html><html lang="en"><title>Provider</title><form method="post" enctype="text/plain">
  <label for="subject">Name</label> <input id="subject" name="subject" autofocus> <button>Sign in</button></form>`;

/** The package's own page loads a font from elsewhere. */
function askToSignOut(context: { body?: string }, form: string): void {
  const button = '<button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>';
  context.body = `<!doctype html><html lang="en"><title>Provider</title>${form}${button}`;
}

export interface OpenIdPerson {
  readonly email: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[];
}

/** A real provider (oidc-provider) on this machine. People sign in there when a test says so, or on a page that asks for their name. */
export class OpenIdServer {
  readonly people = new Map<string, OpenIdPerson>();
  private isAway = false;

  private constructor(
    private readonly server: Server,
    readonly issuer: string,
  ) {}

  static async start(...returnTo: readonly string[]): Promise<OpenIdServer> {
    // It tells the console that its storage and keys are those of a test.
    const [info, warn] = [console.info, console.warn];
    Object.assign(console, { info: () => {}, warn: () => {} });
    try {
      const { Provider } = await import('oidc-provider');
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const own = new OpenIdServer(server, issuer);
      own.serve(new Provider(issuer, own.configuration(returnTo)));
      return own;
    } finally {
      Object.assign(console, { info, warn });
    }
  }

  /** Where the provider sends a browser that went to this address, once this person has signed in. */
  async signIn(address: string, subject: string): Promise<string> {
    const cookies = new Map<string, string>([['subject', subject]]);
    let url = address;
    while (url.startsWith(this.issuer)) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
      url = new URL(location, this.issuer).href;
    }
    return url;
  }

  /** Connections are refused, as if it were not there. */
  async setAway(isAway: boolean): Promise<void> {
    this.isAway = isAway;
    this.server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(provider: InteractiveProvider): void {
    const handle = provider.callback();
    this.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (this.isAway) request.socket.destroy();
      else if (request.url?.startsWith('/interaction/')) void this.interact(provider, request, response);
      else void handle(request, response);
    });
  }

  private async interact(provider: InteractiveProvider, request: IncomingMessage, response: ServerResponse) {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login') {
      const named = request.method === 'POST' ? await text(request) : (request.headers.cookie ?? '');
      const accountId = /(?:^|; )subject=([^;\s]+)/.exec(named)?.[1];
      if (accountId === undefined) return response.setHeader('content-type', 'text/html').end(SIGN_IN_PAGE);
      return provider.interactionFinished(request, response, { login: { accountId, amr: ['pwd'] } });
    }
    const grant = new provider.Grant({ accountId: session?.accountId, clientId: params['client_id'] });
    grant.addOIDCScope('openid email groups');
    return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }

  private configuration(returnTo: readonly string[]) {
    const people = this.people;
    return {
      clients: [
        {
          client_id: 'photos',
          client_secret: 'a secret of the client',
          redirect_uris: [...returnTo],
          post_logout_redirect_uris: returnTo.map((url) => new URL('/settings/sign-in', url).href),
        },
      ],
      scopes: ['openid', 'email', 'groups'],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
      findAccount: (_: unknown, sub: string) => ({ accountId: sub, claims: () => ({ sub, ...people.get(sub) }) }),
      features: { devInteractions: { enabled: false }, rpInitiatedLogout: { logoutSource: askToSignOut } },
      interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      cookies: { keys: ['a key of the cookies of the tests'] },
      ttl: { Interaction: 60, Session: 60, Grant: 60, AccessToken: 60, IdToken: 60, AuthorizationCode: 60 },
    };
  }
}

/** What is used of oidc-provider here; it brings no types. */
interface InteractiveProvider {
  readonly Grant: new (values: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
  callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  interactionDetails(
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<{ prompt: { name: string }; params: Record<string, unknown>; session?: { accountId: string } }>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
}
