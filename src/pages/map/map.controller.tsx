import { Controller, Get, Inject, Query } from '@nestjs/common';
import type { GeoBox } from '../../core/media/picture-metadata.js';
import { type MappedCluster, readMap } from '../../core/photos/map/map.js';
import { placeNames } from '../../core/photos/places.js';
import { RequireRole } from '../../http/access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http/http-options.js';
import type { Reply } from '../../http/responses/reply.js';
import type { Formats } from '../formats.js';
import {
  MapTiles,
  pointAt,
  tileOrigins,
  type View,
  viewOf,
  WHOLE,
  WORLD,
  WorldShapes,
  zooms,
} from '../library/world.js';
import { boxText, parseBox } from '../library-query/library-query.js';
import { PageController } from '../page.js';
import { CurrentPageContext, callerOfPage, InNavigation, type PageContext, usePageContext } from '../page-context.js';
import { Empty, Heading, Table } from '../parts.js';
import { photoName } from '../picture.js';

/** Photos on a map, in clusters. The box that it shows is in its address. */
@Controller('settings/map')
export class MapController extends PageController {
  @Inject(HTTP_OPTIONS) private readonly http: HttpOptions;

  @Get()
  @InNavigation('Map', 15)
  @RequireRole('viewer')
  async show(@CurrentPageContext() context: PageContext, @Query('box') text: unknown): Promise<Reply> {
    const given = typeof text === 'string' && text !== '' ? parseBox(text) : undefined;
    const box = given ? { west: given[0], south: given[1], east: given[2], north: given[3] } : WHOLE;
    const read = (from: GeoBox) => readMap(this.ports, callerOfPage(context), from);
    const clusters = await read(box);
    const options = {
      ...{ title: 'Map', section: 'map', styles: ['map.css'], scripts: ['map.js'], isWide: true },
      pictures: tileOrigins(this.http),
    };
    const hasPhotos = clusters.length > 0 || (await read({ west: -180, south: -90, east: 180, north: 90 })).length > 0;
    const tiles = this.http.mapTiles ?? null;
    const { formats } = context;
    const view = viewOf(box);
    const rows = clusters.map((cluster) => ({
      key: `${cluster.x} ${cluster.y}`,
      cells: [
        <a key="place" href={pathOf(cluster)}>
          {placeText(cluster)}
        </a>,
        countText(formats, cluster),
        <a key="library" href={libraryPath(cluster.box)} aria-label={`Show ${placeText(cluster)} in the library`}>
          Show in the library
        </a>,
      ],
    }));
    return this.render(
      context,
      options,
      <>
        <Heading title="Map">
          <a class="button plain" href={libraryPath(box)} data-map="library">
            Show these in the library
          </a>
        </Heading>
        {given === null && (
          <p class="flash failed" role="alert">
            The area must be four numbers in degrees: west, south, east, north.
          </p>
        )}
        <section class="map" data-map="root" aria-label="Map of photos">
          <svg
            viewBox={`${view.x} ${view.y} ${view.width} ${view.height}`}
            data-map="view"
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it is moved by arrow keys
            tabIndex={0}
            role="application"
            aria-roledescription="map"
            aria-label="Map. Arrow keys move it, plus and minus zoom."
          >
            <WorldShapes />
            <MapTiles tiles={tiles} view={view} />
            <g data-map="clusters">
              {clusters.map((cluster) => (
                <Cluster key={`${cluster.x} ${cluster.y}`} cluster={cluster} view={view} />
              ))}
            </g>
          </svg>
          <nav class="zoom" aria-label="Zoom">
            {zooms.map(({ name, label, text, factor }) => (
              <a key={name} class="button plain" href={mapPath(scaled(box, factor))} data-map={name} aria-label={label}>
                {text}
              </a>
            ))}
          </nav>
        </section>
        <p class="unseen" role="status" data-map="status">
          {given === undefined ? '' : `${formats.number(clusters.length)} places`}
        </p>
        <div data-map="list">
          {clusters.length === 0 ? (
            hasPhotos ? (
              <Empty icon="map-pin" title="No photos were taken here">
                <p>
                  Zoom out, or <a href="/settings/map">show the whole map</a>.
                </p>
              </Empty>
            ) : (
              <Empty icon="map-pin" title="No photo has a location yet">
                <p>Cameras and phones record it if you let them. You can also set it on the page of a photo.</p>
              </Empty>
            )
          ) : (
            <details>
              <summary>
                {clusters.length === 1 ? 'One place' : `${formats.number(clusters.length)} places`} as a list
              </summary>
              <Table caption="Places on this map" columns={['Place', 'Photos', '']} rows={rows} />
            </details>
          )}
        </div>
        <p class="soft">
          {tiles?.attribution ? `Map: ${tiles.attribution}.` : 'Shapes: Natural Earth.'} Names of places: GeoNames.
        </p>
      </>,
    );
  }
}

/** A circle that leads closer, or to the photos if they are all in one place. */
function Cluster({ cluster, view }: { cluster: MappedCluster; view: View }) {
  const { formats } = usePageContext();
  const { latitude, longitude, photos } = cluster;
  const point = pointAt(latitude, longitude);
  // Left of a box across 180° is the end of the world: to its right, the world begins again.
  const x = point.x < view.x && point.x + WORLD <= view.x + view.width * 1.1 ? point.x + WORLD : point.x;
  const unit = view.width / 1000;
  const size = photos === 1 ? 8 : Math.round(12 + 4 * Math.log10(photos));
  return (
    <a href={pathOf(cluster)} aria-label={`${countText(formats, cluster)}, ${placeText(cluster)}`} data-photos={photos}>
      <circle cx={x} cy={point.y} r={size * unit} data-size={size} />
      {photos > 1 && (
        <text x={x} y={point.y} font-size={11 * unit} data-size={11} dy="0.35em">
          {formats.countedUpTo(photos)}
        </text>
      )}
    </a>
  );
}

/** Closer, as long as there is more to see there; then the photo, or the photos in the library. */
function pathOf({ photos, photo, box }: MappedCluster): string {
  if (photos === 1) return `/settings/photos/${photo.id}`;
  const extent = Math.max(box.east - box.west, box.north - box.south);
  // Degrees, about 100 metres: closer than that there is nothing to see.
  return extent < 0.001 ? libraryPath(box) : mapPath(scaled(box, 1.3));
}

/** The same middle, with sides that are so many times as long. */
function scaled({ west, south, east, north }: GeoBox, factor: number): GeoBox {
  const width = Math.min(360, (east - west + (west > east ? 360 : 0)) * factor);
  const height = (north - south) * factor;
  const [longitude, latitude] = [west + (east - west + (west > east ? 360 : 0)) / 2, (south + north) / 2];
  return {
    west: width === 360 ? -180 : wrapped(longitude - width / 2),
    south: Math.max(-85, latitude - height / 2),
    east: width === 360 ? 180 : wrapped(longitude + width / 2),
    north: Math.min(85, latitude + height / 2),
  };
}

function wrapped(longitude: number): number {
  return longitude > 180 ? longitude - 360 : longitude < -180 ? longitude + 360 : longitude;
}

function mapPath(box: GeoBox): string {
  return `/settings/map?box=${textOf(box)}`;
}

function libraryPath(box: GeoBox): string {
  return `/settings/library?box=${textOf(box)}`;
}

/** Rounded away from its middle: a photo at its edge is inside. */
function textOf({ west, south, east, north }: GeoBox): string {
  const outward = (degrees: number, round: (value: number) => number) => round(degrees * 1e5) / 1e5;
  return boxText([
    outward(west, Math.floor),
    outward(south, Math.floor),
    outward(east, Math.ceil),
    outward(north, Math.ceil),
  ]);
}

function countText(formats: Formats, { photos, photo }: MappedCluster): string {
  if (photos === 1) return photoName(photo);
  return `${formats.countedUpTo(photos)} photos`;
}

function placeText({ photo, latitude, longitude }: MappedCluster): string {
  if (photo.place !== null) return placeNames(photo.place).join(', ');
  return `${latitude.toFixed(2)}, ${longitude.toFixed(2)}`;
}
