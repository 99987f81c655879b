import {
  type ClusterReads,
  MAX_LEVEL,
  type MapCell,
  type MapGrid,
  type PhotoCluster,
} from '../../../core/photos/map/map.js';
import { TypeormRepository } from '../database/repository.js';
import { prepared } from '../database/sql.js';

/** Each cell is one range of the index photos_map_cell, of which a limited number of rows is read. */
const selectClusters = prepared(
  `SELECT c.x, c.y, found.* FROM unnest($2::integer[], $3::integer[], $4::bigint[], $5::bigint[]) AS c (x, y, first, last)
   CROSS JOIN LATERAL (
     SELECT count(*)::integer AS photos, min(n.id) AS "photoId",
       avg(n.latitude) AS latitude, avg(n.longitude) AS longitude,
       min(n.longitude) AS west, min(n.latitude) AS south, max(n.longitude) AS east, max(n.latitude) AS north
     FROM (
       SELECT p.id, p.latitude, p.longitude FROM photos p
       WHERE p.customer_id = $1 AND NOT p.trashed AND p.latitude IS NOT NULL
         AND map_cell(p.latitude, p.longitude) BETWEEN c.first AND c.last
       LIMIT $6
     ) n
   ) found WHERE found.photos > 0`,
);

type Row = Omit<PhotoCluster, 'box'> & PhotoCluster['box'];

export class TypeormPhotoClusters extends TypeormRepository implements ClusterReads {
  async inCells({ level, cells }: MapGrid, counted: number): Promise<readonly PhotoCluster[]> {
    const ranges = cells.map((cell) => rangeOf(level, cell));
    const rows = await this.select<Row>(
      selectClusters,
      cells.map(({ x }) => x),
      cells.map(({ y }) => y),
      ranges.map(({ first }) => String(first)),
      ranges.map(({ last }) => String(last)),
      counted,
    );
    return rows.map(({ west, south, east, north, ...cluster }) => ({ ...cluster, box: { west, south, east, north } }));
  }
}

/** The numbers of the finest cells in a cell: their bits begin with its own, those of x and y in turn (map_cell). */
function rangeOf(level: number, { x, y }: MapCell): { first: bigint; last: bigint } {
  let number = 0n;
  for (let bit = level - 1; bit >= 0; bit -= 1) {
    number = (number << 2n) | BigInt((((y >> bit) & 1) << 1) | ((x >> bit) & 1));
  }
  const rest = BigInt(2 * (MAX_LEVEL - level));
  return { first: number << rest, last: ((number + 1n) << rest) - 1n };
}
