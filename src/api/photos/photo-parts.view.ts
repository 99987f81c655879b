import { type RenditionName, renditionSizes } from '../../core/media/media-reader.js';
import type { PhotoWithTags } from '../../core/photos/photo.js';
import type { PhotoUrls } from '../../core/photos/renditions/signed-url.js';
import { ResponseModel } from '../../http/fields/declared.js';
import { Decimal, Flag, Instant, OneOf, Text, WholeNumber } from '../../http/fields/fields.js';
import { instant } from '../../http/responses/reply.js';
import { Altitude, FocusX, FocusY, Latitude, Longitude } from './photo-fields.js';

@ResponseModel('Location', 'Where the photo was taken.')
export class LocationView {
  @Latitude()
  latitude: number;

  @Longitude()
  longitude: number;

  @Altitude()
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
  @FocusX()
  x: number;

  @FocusY()
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

export function companionView(companion: PhotoWithTags['companion']): CompanionView | null {
  if (companion === null) return null;
  const { type, contentType, offset, sizeBytes } = companion;
  return { type, contentType, offset, sizeBytes };
}

export function locationView(location: PhotoWithTags['location']): LocationView | null {
  return location && { latitude: location.latitude, longitude: location.longitude, altitude: location.altitude };
}

export function focusView(focus: PhotoWithTags['focus']): FocusView | null {
  return focus && { x: focus.x, y: focus.y };
}

export function placeView(place: PhotoWithTags['place']): PlaceView | null {
  return place && { country: place.country, region: place.region, city: place.city };
}

export function cameraView(camera: PhotoWithTags['camera']): CameraView | null {
  return camera && { make: camera.make, model: camera.model, lens: camera.lens };
}

export function exposureView(exposure: PhotoWithTags['exposure']): ExposureView | null {
  if (exposure === null) return null;
  const { iso, fNumber, exposureTime, focalLength, focalLength35mm, flash } = exposure;
  return { iso, fNumber, exposureTime, focalLength, focalLength35mm, flash };
}

export function urlsView({ thumb, small, medium, large, expiresAt }: PhotoUrls): RenditionUrlsView {
  return { thumb, small, medium, large, expiresAt: instant(expiresAt) };
}
