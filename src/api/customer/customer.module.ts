import { Controller, Get, Inject, Module } from '@nestjs/common';
import type { Caller } from '../../core/access/caller.js';
import type { CustomerStatus } from '../../core/customers/customer.js';
import { type CustomerWithUsage, readCustomer } from '../../core/customers/edit-customer.js';
import { defaultLimits, type Limits } from '../../core/customers/limits.js';
import type { Ports, Uses } from '../../core/ports.js';
import { RequireScope } from '../../http/access.js';
import { InlineModel, ResponseModel } from '../../http/fields/declared.js';
import { Count, IdOf, Instant, Nested, OneOf, Text, Texts, WholeNumber } from '../../http/fields/fields.js';
import { PORTS } from '../../http/ports-token.js';
import { instant, WithETag } from '../../http/responses/reply.js';
import { CurrentCaller } from '../../http/server/request-context.js';
import { Documented, DocumentTag } from '../openapi/operation.js';

/** A limit of the installation, whose default is its example. */
function Limit(name: keyof Limits, description: string): PropertyDecorator {
  return Count(`${description} Default: ${defaultLimits[name]}.`, defaultLimits[name]);
}

@InlineModel('What the account currently holds.')
class UsageView {
  @Count('Photos outside the trash.', 812)
  photos: number;

  @Count('Photos in the trash.', 3)
  trashedPhotos: number;

  @Count('Total size of originals outside the trash, in bytes.', 6120331882)
  storageBytes: number;

  @Count('Total size of originals in the trash, in bytes.', 25194033)
  trashedBytes: number;

  @Count('Tags.', 40)
  tags: number;

  @Count('Imports that still accept files.', 1)
  openImports: number;

  @Count(
    'Total size of stored renditions and delivered pictures in bytes, counted every 12 hours. They count against no limit.',
    52183920,
  )
  renditionBytes: number;
}

@InlineModel('The limits of the account.')
class LimitsView {
  @WholeNumber({
    description:
      'Total size of originals in bytes, including the trash and files registered in open imports. Null means no limit.',
    example: 1e12,
    min: 0,
    nullable: true,
  })
  storageBytes: number | null;

  @WholeNumber({
    description: 'Photos, including the trash and files registered in open imports. Null means no limit.',
    example: 1e6,
    min: 0,
    nullable: true,
  })
  photos: number | null;

  @Limit('tags', 'Tags per account.')
  tags: number;

  @Limit('tagsPerPhoto', 'Tags per photo.')
  tagsPerPhoto: number;

  @Limit('maxFileBytes', 'Bytes per file.')
  maxFileBytes: number;

  @Limit('maxPixels', 'Pixels per image.')
  maxPixels: number;

  @Limit('importBatchSize', 'Files per registration request.')
  importBatchSize: number;

  @Limit('importMaxPhotos', 'Files per import.')
  importMaxPhotos: number;

  @Limit('inlineMaxFiles', 'Files per multipart request.')
  inlineMaxFiles: number;

  @Limit('inlineMaxBytes', 'Bytes per multipart request.')
  inlineMaxBytes: number;

  @Limit('openImports', 'Imports open at the same time.')
  openImports: number;
}

@ResponseModel('Customer', 'The account that the key belongs to.')
export class CustomerView {
  @IdOf({ description: 'The unique identifier of the account.', example: 1 })
  id: number;

  @Text({ description: 'The name of the account.', example: 'ACME' })
  name: string;

  @OneOf<CustomerStatus>(
    { active: 'everything works', suspended: 'read-only', closing: 'being deleted' },
    { description: 'The state of the account.' },
  )
  status: CustomerStatus;

  @Text({
    description: 'The time zone of photos that do not state one, as an IANA name.',
    example: 'Europe/Paris',
  })
  defaultTimeZone: string;

  @Count('The number of days a deleted photo can be restored.', 30)
  trashRetentionDays: number;

  @Nested(UsageView)
  usage: UsageView;

  @Nested(LimitsView)
  limits: LimitsView;

  @Texts(undefined, {
    description:
      'The image types that this installation accepts: some need a package that it may lack. Of raw files of cameras, the largest embedded preview is the picture.',
    item: { type: 'string', description: 'A media type.', examples: ['image/jpeg'] },
  })
  formats: string[];

  @Instant({ description: 'When the account was created.' })
  createdAt: string;

  @Instant({ description: 'When the account was last changed.' })
  updatedAt: string;

  @WholeNumber({ description: 'Incremented by every change.', example: 1, min: 1 })
  version: number;
}

export function customerView(
  { limits, media }: Uses<'limits' | 'media'>,
  { customer, usage }: CustomerWithUsage,
): CustomerView {
  const { photos, trashedPhotos, storageBytes, trashedBytes, tags, openImports, renditionBytes } = usage;
  return {
    id: customer.id,
    name: customer.name,
    status: customer.status,
    defaultTimeZone: customer.defaultTimeZone,
    trashRetentionDays: customer.trashRetentionDays,
    usage: { photos, trashedPhotos, storageBytes, trashedBytes, tags, openImports, renditionBytes },
    limits: {
      storageBytes: customer.storageBytesLimit,
      photos: customer.photosLimit,
      tags: limits.tags,
      tagsPerPhoto: limits.tagsPerPhoto,
      maxFileBytes: limits.maxFileBytes,
      maxPixels: limits.maxPixels,
      importBatchSize: limits.importBatchSize,
      importMaxPhotos: limits.importMaxPhotos,
      inlineMaxFiles: limits.inlineMaxFiles,
      inlineMaxBytes: limits.inlineMaxBytes,
      openImports: limits.openImports,
    },
    formats: [...media.formats],
    createdAt: instant(customer.createdAt),
    updatedAt: instant(customer.updatedAt),
    version: customer.version,
  };
}

@Controller('api/v1/customer')
@DocumentTag('Account')
class CustomerController {
  constructor(@Inject(PORTS) private readonly ports: Ports) {}

  @Get()
  @Documented({
    operationId: 'getCustomer',
    summary: 'Retrieve the account',
    description: "Returns the account's usage and limits, and the formats that this installation accepts.",
    answers: {
      200: { description: 'The account.', body: CustomerView },
    },
  })
  @RequireScope('customer:read')
  @WithETag()
  async read(@CurrentCaller() caller: Caller) {
    return customerView(this.ports, await readCustomer(this.ports, caller));
  }
}

@Module({ controllers: [CustomerController] })
export class CustomerModule {}
