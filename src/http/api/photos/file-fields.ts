import type { TakenAtSource } from '../../../core/media/capture-time.js';
import { OneOf, StringMap, Text } from '../../fields/fields.js';

/** Fields of a photo that follow from its file. */

export const ThumbHash = () =>
  Text({
    description: 'A ThumbHash in base64: a blurred preview in 25 bytes.',
    example: '1QcSHQRnh493V4dIh4eXh1h4kJUI',
    nullable: true,
  });

export const DominantColor = () =>
  Text({
    description: 'The colour that most of the photo is close to.',
    example: '#7a5c3e',
    pattern: '^#[0-9a-f]{6}$',
    nullable: true,
  });

export const PerceptualHash = () =>
  Text({
    description:
      'A perceptual hash of the upright picture, before `rotation`: 64 bits, of which pictures that look alike share most. Null while it is not known, and for a plain picture. `similarTo` of the list of photos compares them.',
    example: '9f8b3a4c61d2e507',
    pattern: '^[0-9a-f]{16}$',
    nullable: true,
  });

export const TakenAtSourceField = () =>
  OneOf<TakenAtSource>(
    {
      exif_offset: 'a UTC offset in the file',
      gps_time: "the difference between GPS time and the camera's clock",
      gps_position: 'the time zone of the position',
      customer_default: 'the default time zone of the import or account: a guess',
      client: 'set by a client',
      none: 'unknown',
    },
    { description: 'How the time zone, and with it the instant, was determined.' },
  );

export const RawMetadata = () =>
  StringMap({
    description: 'Only with `include=exif`: the raw metadata of the file, by tag name; at most 64 KiB.',
    schema: {
      additionalProperties: { type: ['string', 'number'] },
      examples: [{ FNumber: 4, ISOSpeedRatings: 3200, LensModel: '24-120mm f/4' }],
    },
    sometimes: true,
  });
