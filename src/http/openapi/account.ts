import type { Scope } from '../../core/access/scope.js';
import type { CustomerStatus } from '../../core/customers/customer.js';
import { defaultLimits, type Limits } from '../../core/customers/limits.js';
import type { customerView } from '../api/customer/customer.view.js';
import type { meView } from '../api/me/me.view.js';
import { type Chapter, json } from './operation.js';
import { ifNoneMatchHeader } from './parameters.js';
import { answer, flag, id, instant, listOf, oneOf, orNull, ref, type Schema, text, whole } from './schema.js';

type CustomerAnswer = ReturnType<typeof customerView>;
type MeAnswer = ReturnType<typeof meView>;

export const scopeMeanings: Readonly<Record<Scope, string>> = {
  'customer:read': 'read the account, its limits and the key itself',
  'photos:read': 'list, read and download photos',
  'photos:write': 'import and change photos',
  'photos:delete': 'delete photos',
  'tags:read': 'list and read tags',
  'tags:write': 'make, change and delete tags',
};

const count = (description: string, example: number): Schema => whole(description, example, { minimum: 0 });

function limit(name: keyof Limits, description: string): Schema {
  return whole(`${description} Unless the operator says otherwise ${defaultLimits[name]}.`, defaultLimits[name], {
    minimum: 0,
  });
}

const rateLimit = ref('RateLimit');

export const account: Chapter = {
  schemas: {
    Customer: answer<CustomerAnswer>('The account that the key belongs to.', {
      id: id('Of the account.', 1),
      name: text('Of the account.', 'ACME'),
      status: oneOf<CustomerStatus>('Whether it can be used.', {
        active: 'everything works',
        suspended: 'it can be read, not changed',
        closing: 'it is being deleted',
      }),
      defaultTimeZone: text('Zone of photos that say nothing of theirs: an IANA name.', 'Europe/Paris'),
      trashRetentionDays: count('Days that a deleted photo can be restored.', 30),
      usage: answer<CustomerAnswer['usage']>('What is there now.', {
        photos: count('Photos outside the trash.', 812),
        trashedPhotos: count('Photos in the trash.', 3),
        storageBytes: count('Bytes of the originals outside the trash.', 6120331882),
        trashedBytes: count('Bytes of the originals in the trash.', 25194033),
        tags: count('Tags.', 40),
        openImports: count('Imports that can still be added to.', 1),
      }),
      limits: answer<CustomerAnswer['limits']>('What there may be.', {
        storageBytes: orNull(
          count('Bytes of originals, with the trash and what open imports have announced; null: no limit.', 1e12),
        ),
        photos: orNull(count('Photos, with the trash and what open imports have announced; null: no limit.', 1e6)),
        tags: limit('tags', 'Tags of the account.'),
        tagsPerPhoto: limit('tagsPerPhoto', 'Tags of one photo.'),
        maxFileBytes: limit('maxFileBytes', 'Bytes of one file.'),
        maxPixels: limit('maxPixels', 'Pixels of one picture.'),
        importBatchSize: limit('importBatchSize', 'Photos of one registration.'),
        importMaxPhotos: limit('importMaxPhotos', 'Photos of one import.'),
        inlineMaxFiles: limit('inlineMaxFiles', 'Files of one multipart request.'),
        inlineMaxBytes: limit('inlineMaxBytes', 'Bytes of one multipart request.'),
        openImports: limit('openImports', 'Imports that are open at the same time.'),
      }),
      formats: listOf(
        'Content types of pictures that are taken here. HEIC depends on the installation.',
        text('A content type.', 'image/jpeg'),
      ),
      createdAt: instant('When the account was made.'),
      updatedAt: instant('When it was last changed.'),
      version: whole('Counts its changes.', 1, { minimum: 1 }),
    }),
    RateLimit: answer<MeAnswer['rateLimit']>('A budget of requests in any 60 seconds.', {
      limit: count('Requests that it admits.', 300),
      remaining: count('What is left.', 299),
      reset: count('When the whole budget is back if nothing more is sent: Unix time in seconds.', 1795230983),
    }),
    Me: answer<MeAnswer>('Who is calling, and what is left of the budgets.', {
      customer: ref('Customer'),
      apiKey: ref('ApiKey'),
      rateLimit: ref('RateLimit', { description: 'As the headers of this very answer tell it.' }),
      rateLimits: answer<MeAnswer['rateLimits']>('Both budgets of the key.', { read: rateLimit, write: rateLimit }),
      clientIp: text('The address that the IP list of the key is compared with.', '203.0.113.9'),
      serverTime: instant('The clock of the service.'),
    }),
    ApiKey: answer<MeAnswer['apiKey']>('A key, without its secret.', {
      id: id('Of the key.', 3),
      name: text('Its name.', 'importer'),
      prefix: text('The beginning and the last four characters of the token.', 'phs_live_…x7Qa'),
      scopes: listOf('What it may do; never changes.', oneOf<Scope>('A scope.', scopeMeanings)),
      ipRestricted: flag('Whether it works only from some addresses.', true),
      createdAt: instant('When it was made.'),
      expiresAt: orNull(instant('When it stops working; null: never.')),
    }),
  },
  paths: {
    '/api/v1/me': {
      get: {
        operationId: 'getMe',
        tag: 'Account',
        summary: 'Read who is calling',
        description:
          'The account, the key, and what is left of its budgets. `rateLimit` equals the headers of the answer.',
        scope: 'customer:read',
        answers: { 200: { description: 'The account and the key.', content: json(ref('Me')) } },
      },
    },
    '/api/v1/customer': {
      get: {
        operationId: 'getCustomer',
        tag: 'Account',
        summary: 'Read the account',
        description: 'Its usage, its limits, and the formats that are taken here.',
        scope: 'customer:read',
        parameters: [ifNoneMatchHeader],
        answers: {
          200: { description: 'The account.', content: json(ref('Customer')), headers: ['ETag'] },
          304: { description: 'It has not changed.', headers: ['ETag'] },
        },
      },
    },
  },
};
