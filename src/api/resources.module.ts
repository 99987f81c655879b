import { Module } from '@nestjs/common';
import { CustomerModule } from './customer/customer.module.js';
import { FilesModule } from './files/files.module.js';
import { ImportsModule } from './imports/imports.module.js';
import { MeModule } from './me/me.module.js';
import { PhotosModule } from './photos/photos.module.js';
import { TagsModule } from './tags/tags.module.js';

/** The resources of the API, a module each. The OpenAPI document has what their controllers declare, in this order. */
@Module({ imports: [MeModule, CustomerModule, PhotosModule, TagsModule, ImportsModule, FilesModule] })
export class ResourcesModule {}
