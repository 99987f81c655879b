import type { DuplicatePolicy } from '../../../core/imports/import.js';
import { MAX_CLIENT_REF, MAX_IMPORT_NAME, MAX_SOURCE } from '../../../core/imports/import.js';
import { MAX_ZONE } from '../../../core/media/zones.js';
import { Flag, OneOf, Text } from '../../fields/fields.js';

/** Fields that a client sends and gets back. */

export const Name = () =>
  Text({ description: 'A name for people to read.', example: 'Paris shoot', max: MAX_IMPORT_NAME, nullable: true });

export const Source = () =>
  Text({ description: 'The program that runs the import.', example: 'phs-cli/1.2', max: MAX_SOURCE, nullable: true });

export const ImportRef = () =>
  Text({
    description: 'Your own identifier for the import. Must be unique among open imports. An empty one is none.',
    example: 'laptop:/photos/paris@2026-11-21',
    max: MAX_CLIENT_REF,
    nullable: true,
  });

export const ItemRef = () =>
  Text({
    description:
      'Your own identifier for the file. Must be unique within the import; registering it again returns the same item. An empty one is none.',
    example: '2026/IMG_0001.HEIC',
    max: MAX_CLIENT_REF,
    nullable: true,
  });

export const Duplicates = (options: { readonly default?: DuplicatePolicy } = {}) =>
  OneOf<DuplicatePolicy>(
    {
      skip: 'no photo is created: the item becomes `duplicate` and refers to the existing photo',
      allow: 'a second photo is created',
    },
    { description: 'How to handle a file whose bytes are already in the library.', ...options },
  );

export const RestoreTrashed = (options: { readonly default?: boolean } = {}) =>
  Flag({
    description: 'Whether to restore a photo from the trash when it is imported again.',
    example: true,
    ...options,
  });

export const DefaultZone = () =>
  Text({
    description: 'The time zone of photos that do not state one: an IANA name or a UTC offset.',
    example: 'Europe/Paris',
    bound: MAX_ZONE,
    nullable: true,
  });
