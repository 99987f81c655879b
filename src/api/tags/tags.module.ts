import { Module } from '@nestjs/common';
import { TagCreationController, TagsController } from './tags.controller.js';

@Module({ controllers: [TagsController, TagCreationController] })
export class TagsModule {}
