import { type Scope, scopeMeanings } from '../../core/access/scope.js';
import type { CustomerStatus } from '../../core/customers/customer.js';
import { defaultLimits, type Limits } from '../../core/customers/limits.js';
import type { customerView } from '../api/customer/customer.view.js';
import type { meView } from '../api/me/me.view.js';
import { type Chapter, json } from './operation.js';
import { ifNoneMatchHeader } from './parameters.js';
import { answer, flag, id, instant, listOf, oneOf, orNull, ref, type Schema, text, whole } from './schema.js';

type CustomerAnswer = ReturnType<typeof customerView>;
type MeAnswer = ReturnType<typeof meView>;

const count = (description: string, example: number): Schema => whole(description, example, { minimum: 0 });

function limit(name: keyof Limits, description: string): Schema {
  return whole(`${description} Default: ${defaultLimits[name]}.`, defaultLimits[name], {
    minimum: 0,
  });
}

const rateLimit = ref('RateLimit');

export const account: Chapter = {
  schemas: {
    Customer: answer<CustomerAnswer>('The account that the key belongs to.', {
      id: id('The unique identifier of the account.', 1),
      name: text('The name of the account.', 'ACME'),
      status: oneOf<CustomerStatus>('The state of the account.', {
        active: 'everything works',
        suspended: 'read-only',
        closing: 'being deleted',
      }),
      defaultTimeZone: text('The time zone of photos that do not state one, as an IANA name.', 'Europe/Paris'),
      trashRetentionDays: count('The number of days a deleted photo can be restored.', 30),
      usage: answer<CustomerAnswer['usage']>('What the account currently holds.', {
        photos: count('Photos outside the trash.', 812),
        trashedPhotos: count('Photos in the trash.', 3),
        storageBytes: count('Total size of originals outside the trash, in bytes.', 6120331882),
        trashedBytes: count('Total size of originals in the trash, in bytes.', 25194033),
        tags: count('Tags.', 40),
        openImports: count('Imports that still accept files.', 1),
      }),
      limits: answer<CustomerAnswer['limits']>('The limits of the account.', {
        storageBytes: orNull(
          count(
            'Total size of originals in bytes, including the trash and files registered in open imports. Null means no limit.',
            1e12,
          ),
        ),
        photos: orNull(
          count('Photos, including the trash and files registered in open imports. Null means no limit.', 1e6),
        ),
        tags: limit('tags', 'Tags per account.'),
        tagsPerPhoto: limit('tagsPerPhoto', 'Tags per photo.'),
        maxFileBytes: limit('maxFileBytes', 'Bytes per file.'),
        maxPixels: limit('maxPixels', 'Pixels per image.'),
        importBatchSize: limit('importBatchSize', 'Files per registration request.'),
        importMaxPhotos: limit('importMaxPhotos', 'Files per import.'),
        inlineMaxFiles: limit('inlineMaxFiles', 'Files per multipart request.'),
        inlineMaxBytes: limit('inlineMaxBytes', 'Bytes per multipart request.'),
        openImports: limit('openImports', 'Imports open at the same time.'),
      }),
      formats: listOf(
        'The image types that this installation accepts. HEIC depends on the installation.',
        text('A media type.', 'image/jpeg'),
      ),
      createdAt: instant('When the account was created.'),
      updatedAt: instant('When the account was last changed.'),
      version: whole('Incremented by every change.', 1, { minimum: 1 }),
    }),
    RateLimit: answer<MeAnswer['rateLimit']>('A rate limit over any 60 seconds.', {
      limit: count('The number of requests allowed.', 300),
      remaining: count('The number of requests left.', 299),
      reset: count(
        'When the whole budget will be available if no more requests are sent, as a Unix time in seconds.',
        1795230983,
      ),
    }),
    Me: answer<MeAnswer>('The caller, and what is left of its rate limits.', {
      customer: ref('Customer'),
      apiKey: ref('ApiKey'),
      rateLimit: ref('RateLimit', { description: "The same values as in this response's headers." }),
      rateLimits: answer<MeAnswer['rateLimits']>('Both budgets of the key.', { read: rateLimit, write: rateLimit }),
      clientIp: text('The address that the IP list of the key is checked against.', '203.0.113.9'),
      serverTime: instant('The current time of the service.'),
    }),
    ApiKey: answer<MeAnswer['apiKey']>('An API key, without its secret.', {
      id: id('The unique identifier of the key.', 3),
      name: text('The name of the key.', 'importer'),
      prefix: text('The beginning and the last four characters of the token.', 'phs_live_…x7Qa'),
      scopes: listOf('What the key may do. Never changes.', oneOf<Scope>('A scope.', scopeMeanings)),
      ipRestricted: flag('Whether the key works only from certain addresses.', true),
      createdAt: instant('When the key was created.'),
      expiresAt: orNull(instant('When the key expires. Null if it never does.')),
    }),
  },
  paths: {
    '/api/v1/me': {
      get: {
        operationId: 'getMe',
        tag: 'Account',
        summary: 'Retrieve the caller',
        description:
          "Returns the account, the key, and what is left of the key's budgets. `rateLimit` has the same values as the response headers.",
        scope: 'customer:read',
        answers: { 200: { description: 'The account and the key.', content: json(ref('Me')) } },
      },
    },
    '/api/v1/customer': {
      get: {
        operationId: 'getCustomer',
        tag: 'Account',
        summary: 'Retrieve the account',
        description: "Returns the account's usage and limits, and the formats that this installation accepts.",
        scope: 'customer:read',
        parameters: [ifNoneMatchHeader],
        answers: {
          200: { description: 'The account.', content: json(ref('Customer')), headers: ['ETag'] },
          304: { description: 'The account has not changed.', headers: ['ETag'] },
        },
      },
    },
  },
};
