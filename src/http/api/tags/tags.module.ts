import { Module } from '@nestjs/common';
import { TagCreationController } from './tag-creation.controller.js';
import { TagsController } from './tags.controller.js';

@Module({ controllers: [TagsController, TagCreationController] })
export class TagsModule {}
