import { randomBytes, randomUUID } from 'node:crypto';
import type { NewApiKey } from '../../src/core/access/api-key.js';
import type { NewCustomer } from '../../src/core/customers/customer.js';
import type { NewDeliveryKey } from '../../src/core/delivery/delivery-key.js';
import type { NewPreset } from '../../src/core/delivery/preset.js';
import type { NewImport } from '../../src/core/imports/import.js';
import type { ImportPhoto } from '../../src/core/imports/import-photo.js';
import type { PictureFacts } from '../../src/core/media/media-reader.js';
import { declaredValues, initialValues } from '../../src/core/media/photo-fields.js';
import type { ExifTags } from '../../src/core/media/picture-metadata.js';
import type { Photo } from '../../src/core/photos/photo.js';
import { after, DAY } from '../../src/core/shared/clock.js';
import type { Id } from '../../src/core/shared/ids.js';
import { foldKey } from '../../src/core/shared/text.js';
import type { NewShare } from '../../src/core/shares/share.js';
import type { NewTag } from '../../src/core/tags/tag.js';
import type { NewWebhookEndpoint } from '../../src/core/webhooks/webhook-endpoint.js';

/** When the samples were made, unless they say otherwise. */
export const sampleInstant = new Date('2026-11-21T03:04:05.123Z');

/** So many milliseconds after `sampleInstant`. */
export function later(milliseconds: number): Date {
  return after(sampleInstant, milliseconds);
}

/** 64 hex digits that nothing else has. */
export function sampleHash(): string {
  return randomBytes(32).toString('hex');
}

export function sampleCustomer(values: Partial<NewCustomer> = {}): NewCustomer {
  return {
    name: 'ACME',
    defaultTimeZone: 'Europe/Paris',
    storageBytesLimit: null,
    photosLimit: null,
    status: 'active',
    trashRetentionDays: 30,
    factorsRequiredFrom: null,
    settingsIpList: [],
    admitsNewPeople: false,
    createdAt: sampleInstant,
    updatedAt: sampleInstant,
    version: 1,
    ...values,
  };
}

export function sampleKey(values: Partial<NewApiKey> = {}): NewApiKey {
  return {
    name: 'importer',
    tokenHash: sampleHash(),
    lastFour: 'x7Qa',
    scopes: ['photos:read', 'tags:read'],
    ipList: [],
    readLimit: null,
    writeLimit: null,
    expiresAt: null,
    createdAt: sampleInstant,
    ...values,
  };
}

/** A photo with every optional value unset; `id` must come from `allocateIds`. */
export function samplePhoto(customerId: Id, id: Id, values: Partial<Photo> = {}): Photo {
  return {
    id,
    customerId,
    filename: `IMG_${id}.jpg`,
    contentType: 'image/jpeg',
    sizeBytes: 1000,
    sha256: sampleHash(),
    dupSeq: 0,
    blobKey: `originals/${customerId}/${randomUUID()}`,
    width: 400,
    height: 300,
    orientation: 1,
    rotation: 0,
    focus: null,
    alpha: false,
    ...initialValues(declaredValues({}), {}),
    place: null,
    takenAt: null,
    takenAtLocal: null,
    timeZone: null,
    takenAtSource: 'none',
    camera: null,
    exposure: null,
    companion: null,
    metadata: {},
    importId: null,
    damaged: false,
    originalLostAt: null,
    thumbhash: null,
    dominantColor: null,
    phash: null,
    thumb: null,
    trashedAt: null,
    purgeAt: null,
    createdAt: sampleInstant,
    updatedAt: sampleInstant,
    version: 1,
    ...values,
  };
}

/** Every optional value of a photo, set. What is not an integer, not ASCII, or out of the ordinary is here on purpose. */
export const fullPhoto = {
  filename: 'Crème brûlée 📷 "7" \\ %_.HEIC',
  contentType: 'image/heic',
  sizeBytes: 2 ** 40 + 1,
  width: 65_500,
  height: 1,
  orientation: 8,
  rotation: 270,
  focus: { x: 0.123456789, y: 1 },
  alpha: true,
  title: 'Élan — 日本',
  description: 'first line\nsecond line\twith a tab',
  location: { latitude: -33.856784, longitude: 151.215297, altitude: -0.5 },
  rating: 5,
  favorite: true,
  creator: 'Éva "7" \\ 日本; Ада',
  copyright: '© 2026\nACME',
  keywords: ['Crème', 'a/b', '"{}\\,', 'NULL', ''],
  takenAt: new Date('1969-12-31T23:59:59.999Z'),
  takenAtLocal: '1970-01-01T00:59:59.999',
  timeZone: 'Europe/Paris',
  takenAtSource: 'gps_position',
  camera: { make: 'NIKON CORPORATION', model: 'NIKON D750', lens: null },
  exposure: { iso: 3200, fNumber: 4.5, exposureTime: '1/60', focalLength: 24, focalLength35mm: null, flash: false },
  companion: { type: 'video', contentType: 'video/quicktime', offset: 2 ** 40, sizeBytes: 1 },
  externalId: 'shoot-17/3701',
  metadata: { client: 'ACME', __proto: 'x', 'a.b-c_d': '' },
  damaged: true,
  originalLostAt: new Date('2026-11-21T12:00:00.000Z'),
  thumbhash: '1QcSHQRnh493V4dIh4eXh1h4kJUI',
  dominantColor: '#7a5c3e',
  phash: '9f8b3a4c61d2e507',
  thumb: { sizeBytes: 10_241, sha256: 'c'.repeat(64) },
  trashedAt: new Date('2026-11-22T00:00:00.000Z'),
  purgeAt: new Date('2026-12-22T00:00:00.000Z'),
  createdAt: new Date('2026-11-20T00:00:00.001Z'),
  updatedAt: new Date('2026-11-22T00:00:00.002Z'),
  version: 12,
} as const satisfies Partial<Photo>;

export const sampleExif: ExifTags = { Make: 'NIKON CORPORATION', ISO: 3200, FNumber: 4.5, Artist: 'É 📷' };

export function sampleTag(name: string, values: Partial<NewTag> = {}): NewTag {
  return { name, nameKey: foldKey(name), color: null, description: null, createdAt: sampleInstant, ...values };
}

/** An open import that nobody named. */
export function sampleImport(customerId: Id, values: Partial<NewImport> = {}): NewImport {
  return {
    customerId,
    status: 'open',
    name: null,
    source: null,
    clientRef: null,
    duplicatePolicy: 'skip',
    restoreTrashed: true,
    defaultTimeZone: null,
    tagIds: [],
    tagDuplicates: false,
    keywordsAsTags: false,
    dateFromFilename: false,
    apiKeyId: null,
    shareId: null,
    createdAt: sampleInstant,
    updatedAt: sampleInstant,
    expiresAt: later(7 * DAY),
    finalizedAt: null,
    completedAt: null,
    version: 1,
    ...values,
  };
}

/** An item that waits for its bytes; `id` must come from `allocateIds`. */
export function sampleItem(
  subject: { readonly id: Id; readonly customerId: Id },
  id: Id,
  values: Partial<ImportPhoto> = {},
): ImportPhoto {
  return {
    id,
    customerId: subject.customerId,
    importId: subject.id,
    clientRef: null,
    status: 'awaiting_upload',
    photoId: null,
    duplicateOfItemId: null,
    restored: false,
    resolved: false,
    filename: `IMG_${id}.jpg`,
    sizeBytes: 1000,
    sha256: sampleHash(),
    contentType: null,
    width: null,
    height: null,
    uploadId: 1,
    blobName: randomUUID(),
    facts: null,
    error: null,
    ...declaredValues({}),
    takenAt: null,
    takenAtLocal: null,
    timeZone: null,
    metadata: {},
    tagIds: [],
    createdAt: sampleInstant,
    updatedAt: sampleInstant,
    ...values,
  };
}

/** What inspecting the file of an item can find. */
export function sampleFacts(values: Partial<PictureFacts> = {}): PictureFacts {
  return {
    contentType: 'image/jpeg',
    width: 400,
    height: 300,
    orientation: 6,
    alpha: false,
    damaged: false,
    title: 'Élan',
    description: null,
    location: { latitude: 48.85837, longitude: 2.294481, altitude: null },
    rating: 4,
    creator: 'Ada Lovelace',
    copyright: null,
    keywords: ['Paris', 'Places/Paris'],
    camera: { make: 'NIKON CORPORATION', model: 'NIKON D750', lens: '24-120mm f/4' },
    exposure: { iso: 100, fNumber: 2.8, exposureTime: '1/250', focalLength: 35, focalLength35mm: 35, flash: null },
    times: {
      original: '2024:12:21 23:39:24',
      originalSubSec: '670',
      originalOffset: '+01:00',
      digitized: null,
      digitizedSubSec: null,
      digitizedOffset: null,
      changed: null,
      changedOffset: null,
      xmpCreated: null,
      xmpOriginal: null,
      xmpDigitized: null,
      iptcCreated: null,
      gpsUtc: null,
    },
    positionZone: 'Europe/Paris',
    thumbhash: null,
    dominantColor: '#7a5c3e',
    exif: sampleExif,
    phash: null,
    companion: null,
    ...values,
  };
}

/** An enabled endpoint that wants everything. */
export function sampleEndpoint(customerId: Id, values: Partial<NewWebhookEndpoint> = {}): NewWebhookEndpoint {
  return {
    customerId,
    url: 'https://example.com/hooks',
    description: null,
    events: [],
    status: 'enabled',
    disabledAt: null,
    disabledReason: null,
    secret: 'sealed',
    previousSecret: null,
    previousSecretUntil: null,
    failingSince: null,
    listeningUntil: null,
    createdAt: sampleInstant,
    updatedAt: sampleInstant,
    ...values,
  };
}

let deliveryKeys = 0;

export function sampleDeliveryKey(values: Partial<NewDeliveryKey> = {}): NewDeliveryKey {
  deliveryKeys += 1;
  return {
    publicId: `dk_${String(deliveryKeys).padStart(16, '0')}`,
    name: 'shop',
    secret: 'sealed',
    presetsOnly: false,
    expiresAt: null,
    createdAt: sampleInstant,
    ...values,
  };
}

let shares = 0;

export function sampleShare(values: Partial<NewShare> = {}): NewShare {
  shares += 1;
  return {
    tokenHash: String(shares).padStart(64, '0'),
    token: 'sealed',
    title: 'Paris',
    tagId: null,
    photoIds: [],
    mayDownload: false,
    uploadFilesLimit: 0,
    uploadBytesLimit: 0,
    passwordHash: null,
    expiresAt: null,
    createdAt: sampleInstant,
    ...values,
  };
}

export function samplePreset(name: string, values: Partial<NewPreset> = {}): NewPreset {
  return { name, options: 'w=1', createdAt: sampleInstant, updatedAt: sampleInstant, ...values };
}
