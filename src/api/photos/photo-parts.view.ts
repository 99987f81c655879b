import { type RenditionName, renditionSizes } from '../../core/media/media-reader.js';
import { altitudes, latitudes, longitudes } from '../../core/media/photo-fields.js';
import { focusPoints } from '../../core/photos/photo.js';
import { ResponseModel } from '../../http/fields/declared.js';
import { Decimal, Flag, Instant, OneOf, Text, WholeNumber } from '../../http/fields/fields.js';

@ResponseModel('Location', 'Where the photo was taken.')
export class LocationView {
  @Decimal({ description: 'Degrees north of the equator (WGS 84).', example: 48.85837, ...latitudes, required: true })
  latitude: number;

  @Decimal({ description: 'Degrees east of Greenwich (WGS 84).', example: 2.294481, ...longitudes, required: true })
  longitude: number;

  @Decimal({
    description: 'Metres above sea level. Null if unknown.',
    example: 35.4,
    ...altitudes,
    nullable: true,
  })
  altitude: number | null;
}

@ResponseModel('Place', 'The names of where the photo was taken, looked up in data that comes with the service.')
export class PlaceView {
  @Text({ description: 'The country or territory: ISO 3166-1 alpha-2.', example: 'FR', pattern: '^[A-Z]{2}$' })
  country: string;

  @Text({
    description: 'The state, province or region of that city, as GeoNames writes it. Null if no city is near.',
    example: 'Île-de-France',
    nullable: true,
  })
  region: string | null;

  @Text({
    description:
      'The city or village: the nearest with at least 1,000 people in that country. Null if none is within 200 km.',
    example: 'Paris',
    nullable: true,
  })
  city: string | null;
}

@ResponseModel('Focus', 'A point of the photo as displayed: upright and after `rotation`.')
export class FocusView {
  @Decimal({ description: 'From the left edge (0) to the right (1).', example: 0.35, ...focusPoints, required: true })
  x: number;

  @Decimal({ description: 'From the top edge (0) to the bottom (1).', example: 0.2, ...focusPoints, required: true })
  y: number;
}

@ResponseModel('Camera', 'The camera the photo was taken with.')
export class CameraView {
  @Text({ description: 'The manufacturer of the camera.', example: 'NIKON CORPORATION', nullable: true })
  make: string | null;

  @Text({ description: 'The model of the camera.', example: 'NIKON D750', nullable: true })
  model: string | null;

  @Text({ description: 'The lens.', example: '24-120mm f/4', nullable: true })
  lens: string | null;
}

@ResponseModel('Exposure', 'The exposure settings.')
export class ExposureView {
  @Decimal({ description: 'The ISO sensitivity.', example: 3200, nullable: true })
  iso: number | null;

  @Decimal({ description: 'The f-number.', example: 4, nullable: true })
  fNumber: number | null;

  @Text({ description: 'The exposure time in seconds, as photographers write it.', example: '1/60', nullable: true })
  exposureTime: string | null;

  @Decimal({ description: 'The focal length in millimetres.', example: 24, nullable: true })
  focalLength: number | null;

  @Decimal({ description: 'The 35 mm equivalent focal length in millimetres.', example: 24, nullable: true })
  focalLength35mm: number | null;

  @Flag({ description: 'Whether the flash fired.', example: false, nullable: true })
  flash: boolean | null;
}

const Url = (name: RenditionName) =>
  Text({
    description: `At most ${renditionSizes[name]} pixels on its longest side.`,
    example: `https://photos.example/renditions/WzEsOTA0MTcs.${name}`,
    format: 'uri',
  });

@ResponseModel(
  'RenditionUrls',
  'Only with `include=urls`: URLs for use in `<img>`. They work without an API key for 12 to 24 hours, stay the same for half a day for each key, and stop working when the key that requested them does. Null for a key with an IP list.',
)
export class RenditionUrlsView {
  @Url('thumb')
  thumb: string;

  @Url('small')
  small: string;

  @Url('medium')
  medium: string;

  @Url('large')
  large: string;

  @Instant({ description: 'When the URLs expire.' })
  expiresAt: string;
}

@ResponseModel('Companion', 'A film inside the file of the photo, as phones store it with a motion photo.')
export class CompanionView {
  @OneOf({ video: 'a film' }, { description: 'What it is.' })
  type: 'video';

  @OneOf(
    { 'video/mp4': 'MPEG-4', 'video/quicktime': 'QuickTime' },
    { description: 'The type of the film by its first bytes.' },
  )
  contentType: 'video/mp4' | 'video/quicktime';

  @WholeNumber({ description: 'Where it begins in the original, in bytes.', example: 3172204, min: 0 })
  offset: number;

  @WholeNumber({ description: 'Its size in bytes, part of the size of the photo.', example: 2045116, min: 1 })
  sizeBytes: number;
}
