import { MAX_TAG_DESCRIPTION, MAX_TAG_NAME } from '../../../core/tags/tag.js';
import { Text } from '../../fields/fields.js';

/** Texts are measured as they are stored: in NFC, without white space at their ends, in code points. */
export const STORED =
  'Stored in Unicode NFC, without leading or trailing white space; lengths are measured in that form.';

/** The name of a tag that a client sends. */
export const tagName = {
  description: `Unique in the account, ignoring case. ${STORED} White space inside becomes one space; control characters are not allowed.`,
  example: 'Paris',
  min: 1,
  max: MAX_TAG_NAME,
};

export const Color = () =>
  Text({
    description: '`#rrggbb`, or null for none.',
    example: '#3366ff',
    pattern: '^#[0-9a-fA-F]{6}$',
    bound: 7,
    nullable: true,
  });

export const TagDescription = () =>
  Text({
    description: 'What the tag is used for.',
    example: 'Photos from Paris.',
    max: MAX_TAG_DESCRIPTION,
    nullable: true,
  });
