import type { DuplicatePolicy } from '../../../core/imports/import.js';
import { MAX_CLIENT_REF, MAX_IMPORT_NAME, MAX_SOURCE } from '../../../core/imports/import.js';
import { Flag, OneOf, Text } from '../../fields/fields.js';

/** Fields that a client sends and gets back. */

export const Name = () =>
  Text({ description: 'For people.', example: 'Paris shoot', max: MAX_IMPORT_NAME, nullable: true });

export const Source = () =>
  Text({ description: 'The program that imports.', example: 'phs-cli/1.2', max: MAX_SOURCE, nullable: true });

export const ImportRef = () =>
  Text({
    description: 'Your own id of it, unique among open imports.',
    example: 'laptop:/photos/paris@2026-11-21',
    max: MAX_CLIENT_REF,
    nullable: true,
  });

export const ItemRef = () =>
  Text({
    description: 'Your own id of the file, unique in the import: registered again, it is the same item.',
    example: '2026/IMG_0001.HEIC',
    max: MAX_CLIENT_REF,
    nullable: true,
  });

export const Duplicates = (options: { readonly default?: DuplicatePolicy } = {}) =>
  OneOf<DuplicatePolicy>(
    {
      skip: 'nothing: its item is `duplicate`, and names that photo',
      allow: 'it becomes a second photo',
    },
    { description: 'What becomes of a file whose bytes are in the library already.', ...options },
  );

export const RestoreTrashed = (options: { readonly default?: boolean } = {}) =>
  Flag({
    description: 'Whether a photo in the trash that is imported again is brought back.',
    example: true,
    ...options,
  });

export const DefaultZone = () =>
  Text({
    description: 'Zone of photos that say nothing of theirs: an IANA name or an offset.',
    example: 'Europe/Paris',
    nullable: true,
  });
