import { Module } from '@nestjs/common';
import { CustomerModule } from './api/customer/customer.module.js';
import { ImportsModule } from './api/imports/imports.module.js';
import { MeModule } from './api/me/me.module.js';
import { PhotosModule } from './api/photos/photos.module.js';
import { TagsModule } from './api/tags/tags.module.js';
import { FilesModule } from './files/files.module.js';

/** The resources of the API, a module each. The OpenAPI document has what their controllers declare, in this order. */
@Module({ imports: [MeModule, CustomerModule, PhotosModule, TagsModule, ImportsModule, FilesModule] })
export class ResourcesModule {}
