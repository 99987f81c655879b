// The backend of a sign-up page: makes an account with a key and a webhook for whoever signs up, and gives their browser addresses to send photos to.
// The operator token and the keys of the accounts stay here; a browser has a session of this program, and upload targets.
//
//   POST /sign-up  {"name": "Studio Anna"}                             → {"session": "…"}
//   POST /uploads  {"importId": null, "files": [{"filename", "sizeBytes", "sha256"}]}    → {"importId": 7, "uploads": [{"upload", "error"}]}
//   POST /finish   {"importId": 7}                                     → {"status": "completed", "failed": []}
//
// The last two are what <photo-upload> of photo-service-uploader asks.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { ApiError, OperatorClient, PhotoService, type RegistrationOutcomes } from 'photo-service-sdk';

interface Settings {
  readonly baseUrl: string;
  readonly operatorToken: string;
  /** Where this program takes events: see webhook-receiver.mjs. */
  readonly webhookUrl: string;
}

interface Account {
  readonly customerId: number;
  readonly photos: PhotoService;
  readonly webhookSecret: string;
}

interface Announced {
  readonly filename: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly clientRef?: string;
}

export function signUpBackend({ baseUrl, operatorToken, webhookUrl }: Settings): Server {
  const operator = new OperatorClient({ baseUrl, token: operatorToken });
  // By session. A real backend keeps keys and secrets encrypted in its database, and knows people by a password.
  const accounts = new Map<string, Account>();

  async function signUp({ name }: { readonly name: string }): Promise<object> {
    const session = randomUUID();
    // The same for each step: if this program is cut off, it can run again from here without making anything twice.
    const step = (what: string) => ({ idempotencyKey: `${session}-${what}` });
    const { id } = await operator.createCustomer({ name, photosLimit: 1000 }, step('account'));
    const scopes = ['photos:read', 'photos:write'] as ('photos:read' | 'photos:write')[];
    const { token } = await operator.createKey(id, { name: 'sign-up backend', scopes }, step('key'));
    const { secret } = await operator.createWebhook(
      id,
      { url: webhookUrl, events: ['import.completed'] },
      step('webhook'),
    );
    accounts.set(session, { customerId: id, photos: new PhotoService({ baseUrl, token }), webhookSecret: secret });
    return { session };
  }

  async function uploads(
    { photos }: Account,
    { importId = null, files }: { readonly importId?: number | null; readonly files: readonly Announced[] },
  ): Promise<object> {
    const id = importId ?? (await photos.imports.create({ source: 'sign-up backend' })).id;
    const outcomes = await photos.imports.register(id, [...files]).then(({ data }) => data, refusals);
    // An item without a target has its bytes already.
    return { importId: id, uploads: outcomes.map(({ photo, error }) => ({ upload: photo?.upload ?? null, error })) };
  }

  async function finish({ photos }: Account, { importId }: { readonly importId: number }): Promise<object> {
    const { status } = await photos.imports.finalize(importId, { missingUploads: 'fail', wait: 15 });
    const items = await photos.imports.photos(importId, { photoStatus: ['failed'] }).toArray();
    const failed = items.map(({ clientRef, error }) => ({ clientRef, code: error?.code, message: error?.message }));
    return { status, failed };
  }

  async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const input = JSON.parse(await textOf(request));
    if (request.method === 'POST' && request.url === '/sign-up') return { status: 201, body: await signUp(input) };
    const account = accounts.get(sessionOf(request));
    if (account === undefined) return { status: 401, body: { message: 'Sign up first.' } };
    if (request.url === '/uploads') return { status: 200, body: await uploads(account, input) };
    if (request.url === '/finish') return { status: 200, body: await finish(account, input) };
    return { status: 404, body: { message: 'There is nothing here.' } };
  }

  return createServer((request, response) => {
    answer(request)
      .catch((error: unknown) => {
        // What somebody may do about it is in the message; everything else stays in the log of this program.
        if (error instanceof ApiError && error.status === 400) return { status: 400, body: { message: error.message } };
        if (error instanceof SyntaxError) return { status: 400, body: { message: 'Send JSON.' } };
        console.error(error);
        return { status: 500, body: { message: 'Something went wrong. Try again.' } };
      })
      .then(({ status, body }) => {
        // No other site can make a browser send it, and no script can read it.
        const cookie = 'session' in body && {
          'set-cookie': `session=${body.session}; HttpOnly; SameSite=Strict; Path=/`,
        };
        response.writeHead(status, { 'content-type': 'application/json', ...cookie }).end(JSON.stringify(body));
      });
  });
}

/** When not even one file is accepted, the reasons are in the error. */
function refusals(error: unknown): RegistrationOutcomes['data'] {
  if (!(error instanceof ApiError) || error.code !== 'no_photos_accepted') throw error;
  return error.details['results'] as RegistrationOutcomes['data'];
}

/** Browsers send it as a cookie, programs as a token. */
function sessionOf({ headers }: IncomingMessage): string {
  const [, session] =
    /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? /(?:^|; )session=([^;]+)/.exec(headers.cookie ?? '') ?? [];
  return session ?? '';
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 1_000_000) throw new SyntaxError('too long');
  }
  return text;
}
