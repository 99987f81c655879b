import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { ApiError } from 'photo-service-sdk';
import { UsageError } from '../exit-codes.js';
import { clientOf, currentLogin, loginFile, profile, saveLogin } from '../login.js';
import { type OutputOptions, print } from '../print.js';

/** Checks an address and a key: after a typing error it should not wait and retry. */
const HASTY = { maxRetries: 1 };

export function loginCommand(): Command {
  return new Command('login')
    .description('store the URL of a service and a key for later commands')
    .option('--url <url>', 'the URL of the service (default: PHOTO_SERVICE_URL)')
    .option('--token <token>', 'the API key; - reads it from standard input (default: PHOTO_SERVICE_TOKEN)')
    .action(async (options: OutputOptions & { readonly url?: string; readonly token?: string }) => {
      const url = (options.url ?? process.env['PHOTO_SERVICE_URL'])?.replace(/\/{1,9}$/, '');
      const given = options.token ?? process.env['PHOTO_SERVICE_TOKEN'];
      const token = given === '-' ? (await text(process.stdin)).trim() : given;
      if (!url || !token) throw new UsageError('Both options are required: phs login --url URL --token TOKEN');
      const client = clientOf({ url, token }, HASTY);
      // Null: the key works, but may not say whose it is.
      const me = await client.me().catch((error: unknown) => {
        if (error instanceof ApiError && error.missingScope !== null) return null;
        throw error;
      });
      await saveLogin({ url, token });
      const whose = me === null ? 'a key without customer:read' : `${me.apiKey.name} of ${me.customer.name}`;
      print(options, { url, customer: me?.customer.name ?? null, file: loginFile() }, [
        `Logged in at ${url}: ${whose}. Stored in ${loginFile()}.`,
      ]);
    });
}

export function whoamiCommand(): Command {
  return new Command('whoami')
    .description('show the key in use, its scopes and its remaining rate limits')
    .action(async (options: { json?: boolean }) => {
      const login = await currentLogin();
      const me = await clientOf(login, HASTY).me();
      const { customer, apiKey, rateLimits } = me;
      const name = profile();
      const left = ({ remaining, limit }: { remaining: number; limit: number }) => `${remaining} of ${limit}`;
      print(options, { url: login.url, ...me }, [
        `${customer.name} (customer ${customer.id}) at ${login.url}${name === null ? '' : `, profile ${name}`}`,
        `key ${apiKey.id} ${apiKey.name}, ${apiKey.prefix}: ${apiKey.scopes.join(', ')}`,
        `expires: ${apiKey.expiresAt ?? 'never'}; your address: ${me.clientIp}`,
        `left this minute: ${left(rateLimits.read)} reads, ${left(rateLimits.write)} writes`,
      ]);
    });
}
