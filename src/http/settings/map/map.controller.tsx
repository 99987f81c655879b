import { Controller, Get, Inject, Query } from '@nestjs/common';
import { type MapBox, readMap } from '../../../core/photos/map/map.js';
import type { Ports } from '../../../core/ports.js';
import { RequireRole } from '../../access.js';
import { HTTP_OPTIONS, type HttpOptions } from '../../http-options.js';
import { PORTS } from '../../ports-token.js';
import type { Reply } from '../../responses/reply.js';
import { parseBox } from '../library-query/box.js';
import { InNavigation } from '../navigation.js';
import { renderPage } from '../page.js';
import { CurrentPageContext, callerOfPage, type PageContext } from '../page-context.js';
import { MapPage, type MapProps } from './map.view.js';
import { WHOLE } from './projection.js';
import { tileOrigins } from './world.js';

const EARTH: MapBox = { west: -180, south: -90, east: 180, north: 90 };

/** Photos on a map, in clusters. The box that it shows is in its address. */
@Controller('settings/map')
export class MapController {
  constructor(
    @Inject(PORTS) private readonly ports: Ports,
    @Inject(HTTP_OPTIONS) private readonly http: HttpOptions,
  ) {}

  @Get()
  @InNavigation('Map', 15)
  @RequireRole('viewer')
  async show(@CurrentPageContext() context: PageContext, @Query('box') text: unknown): Promise<Reply> {
    const given = typeof text === 'string' && text !== '' ? parseBox(text) : undefined;
    const box = given ? { west: given[0], south: given[1], east: given[2], north: given[3] } : WHOLE;
    const read = (from: MapBox) => readMap(this.ports, callerOfPage(context), from);
    const clusters = await read(box);
    const props: MapProps = {
      tiles: this.http.mapTiles ?? null,
      box,
      isWhole: given === undefined,
      isWrong: given === null,
      clusters,
      hasPhotos: clusters.length > 0 || (await read(EARTH)).length > 0,
    };
    const options = {
      ...{ title: 'Map', section: 'map', styles: ['map.css'], scripts: ['map.js'], isWide: true },
      pictures: tileOrigins(this.http),
    };
    return renderPage(this.ports, context, options, <MapPage {...props} />);
  }
}
