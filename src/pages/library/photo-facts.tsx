import type { TakenAtSource } from '../../core/media/capture-time.js';
import { type FieldName, type FieldValues, fieldNames, photoFields } from '../../core/media/photo-fields.js';
import type { Camera, ExifTags, Exposure } from '../../core/media/picture-metadata.js';
import type { PhotoWithTags } from '../../core/photos/photo.js';
import { placeNames } from '../../core/photos/places.js';
import { usePageContext } from '../page-context.js';
import { Fact, Moment } from '../parts.js';
import { SmallMap } from './world.js';

/** Fields of a photo that have no place of their own on its page. */
const listed = fieldNames.filter((name) => !['title', 'description', 'location', 'externalId'].includes(name));

/** @param props `isEdited`: whether forms beside it have what can be edited, on a map too. */
export function PhotoFacts(props: { photo: PhotoWithTags; exif: ExifTags | null; isEdited: boolean }) {
  const { photo, exif, isEdited } = props;
  const { formats } = usePageContext();
  const { camera, exposure, location, metadata } = photo;
  const [latitude, longitude] = [location?.latitude.toFixed(5), location?.longitude.toFixed(5)];
  return (
    <dl class="photo-facts">
      <Fact name="Taken">
        {photo.takenAtLocal === null ? (
          <span class="soft">Not known</span>
        ) : (
          <>
            {formats.time(photo.takenAtLocal.slice(0, 19))}
            <br />
            <span class="soft">
              {photo.timeZone}, {zoneSources[photo.takenAtSource]}
            </span>
          </>
        )}
      </Fact>
      {camera && <Fact name="Camera">{cameraText(camera)}</Fact>}
      {exposure && <Fact name="Exposure">{exposureText(exposure)}</Fact>}
      {/* Filled by a script (histogram.ts). */}
      <div data-histogram>
        <dt>Histogram</dt>
        <dd />
      </div>
      {location && (
        <Fact name="Place">
          {photo.place !== null && (
            <div>
              {placeNames(photo.place).join(', ')} <span class="soft">(names by GeoNames)</span>
            </div>
          )}
          <a
            href={`https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=14/${latitude}/${longitude}`}
            target="_blank"
            rel="noreferrer"
          >
            {latitude}, {longitude}
          </a>
          {location.altitude !== null && <span class="soft">, {Math.round(location.altitude)} m above sea level</span>}
          {!isEdited && <SmallMap position={location} />}
        </Fact>
      )}
      {listed
        .filter((name) => !isEdited || photoFields[name].setBy === 'file')
        .map((name) => {
          const text = fieldText(photo[name]);
          return (
            text !== '' && (
              <Fact key={name} name={photoFields[name].label}>
                {text}
              </Fact>
            )
          );
        })}
      <Fact name="File">
        {photo.filename}
        <br />
        <span class="soft">
          {photo.contentType}, {formats.bytes(photo.sizeBytes)}, {photo.width} × {photo.height} pixels
          {photo.companion !== null && `, ${formats.bytes(photo.companion.sizeBytes)} of them a film`}
        </span>
      </Fact>
      <Fact name="Original">
        {photo.originalLostAt === null ? (
          photo.damaged ? (
            'Stored unchanged; the file is damaged'
          ) : (
            'Stored byte for byte'
          )
        ) : (
          <span class="error">
            Missing or changed since <Moment at={photo.originalLostAt} />. Import the same file again to restore it.
          </span>
        )}
      </Fact>
      <Fact name="SHA-256">
        <code class="hash">{photo.sha256}</code>
      </Fact>
      <Fact name="Added">
        <Moment at={photo.createdAt} />
        {photo.importId !== null && (
          <>
            {' '}
            by <a href={`/settings/imports/${photo.importId}`}>import {photo.importId}</a>
          </>
        )}
      </Fact>
      <Fact name="Photo">
        Number {photo.id}, version {photo.version}
        {photo.phash !== null && (
          <>
            , <a href={`/settings/library?similar=${photo.id}`}>similar photos</a>
          </>
        )}
        {photo.externalId !== null && `, known elsewhere as ${photo.externalId}`}
      </Fact>
      {Object.entries(metadata).map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
      {exif !== null && Object.keys(exif).length > 0 && (
        <Fact name="In the file">
          <details>
            <summary>{Object.keys(exif).length} values</summary>
            <dl class="exif">
              {Object.entries(exif).map(([name, value]) => (
                <Fact key={name} name={name}>
                  {value}
                </Fact>
              ))}
            </dl>
          </details>
        </Fact>
      )}
    </dl>
  );
}

function fieldText(value: FieldValues[FieldName]): string {
  if (value === null || value === false) return '';
  if (value === true) return 'Yes';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

const zoneSources: Readonly<Record<TakenAtSource, string>> = {
  exif_offset: 'as recorded by the camera',
  gps_time: 'time zone from the GPS clock',
  gps_position: 'time zone of the location',
  customer_default: 'default time zone, because the file names none',
  filename: 'from the file name',
  client: 'set manually',
  none: '',
};

function cameraText({ make, model, lens }: Camera): string {
  // Many makers write their name into the model, too.
  const name =
    make && model?.toLowerCase().startsWith(make.toLowerCase()) ? model : [make, model].filter(Boolean).join(' ');
  return [name, lens].filter(Boolean).join(', ');
}

function exposureText({ exposureTime, fNumber, iso, focalLength, focalLength35mm, flash }: Exposure): string {
  const parts = [
    exposureTime && `${exposureTime} s`,
    fNumber && `f/${fNumber}`,
    iso && `ISO ${iso}`,
    focalLength && `${focalLength} mm`,
    focalLength35mm && `as ${focalLength35mm} mm on full frame`,
    flash && 'flash',
  ];
  return parts.filter(Boolean).join(' · ');
}
