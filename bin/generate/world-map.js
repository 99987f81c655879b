import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

// Writes the shapes that maps are drawn on: `node bin/generate/world-map.js`, after another version of world-atlas was installed.

/** Steps for a degree of longitude: about 4 km at the equator. */
const STEPS = 25;
/** Where Mercator's map is square. */
const EDGE = 85.0511287798066;

const target = fileURLToPath(new URL('../../src/pages/assets/map/world.svg', import.meta.url));

/** Land and borders of Natural Earth (public domain) at 1:50 million, in Mercator's projection, as two paths. */
function worldSvg() {
  const require = createRequire(import.meta.url);
  const { arcs, transform, objects } = JSON.parse(
    readFileSync(require.resolve('world-atlas/countries-50m.json'), 'utf8'),
  );
  const lines = arcs.map((arc) => projected(arc, transform));
  const line = (index) => (index < 0 ? lines[~index].toReversed() : lines[index]);
  const rings = objects.land.geometries.flatMap(ringsOf);
  const joined = (parts) => parts.flatMap((points, at) => (at === 0 ? points : points.slice(1)));
  const land = rings.map((ring) => pathOf(joined(ring.map(line)), 'z'));
  const borders = sharedArcs(objects.countries.geometries).map((index) => pathOf(line(index), ''));
  const paths = [
    ['land', land],
    ['borders', borders],
  ].map(([id, parts]) => `<path id="${id}" vector-effect="non-scaling-stroke" d="${parts.join('')}"/>`);
  const size = 360 * STEPS;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}">${paths.join('')}</svg>\n`;
}

/** From differences of longitudes and latitudes to whole steps from the upper left corner. */
function projected(arc, { scale, translate }) {
  let [x, y] = [0, 0];
  return arc.map(([dx, dy]) => {
    x += dx;
    y += dy;
    const longitude = x * scale[0] + translate[0];
    const latitude = Math.max(-EDGE, Math.min(EDGE, y * scale[1] + translate[1]));
    const north = (180 / Math.PI) * Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360));
    return [Math.round((longitude + 180) * STEPS), Math.round((180 - north) * STEPS)];
  });
}

function ringsOf({ type, arcs }) {
  return type === 'Polygon' ? arcs : arcs.flat();
}

/** Arcs that two countries have in common. */
function sharedArcs(countries) {
  const owners = new Map();
  for (const [country, geometry] of countries.entries()) {
    for (const index of ringsOf(geometry).flat()) {
      const arc = index < 0 ? ~index : index;
      owners.set(arc, new Set([...(owners.get(arc) ?? []), country]));
    }
  }
  return [...owners].filter(([, of]) => of.size > 1).map(([arc]) => arc);
}

/** Empty for what is smaller than a step. What crosses 180° continues beyond the edge: maps draw the world side by side. */
function pathOf(points, end) {
  const world = 360 * STEPS;
  const moves = points.slice(1).map(([x, y], at) => {
    const across = x - points[at][0];
    return [across - world * Math.round(across / world), y - points[at][1]];
  });
  const [x, y] = points[0];
  const turn = moves.reduce((sum, [across]) => sum + across, 0);
  // Around the pole: down to the edge of the map, and back along it.
  if (end !== '' && turn !== 0) moves.push([0, world - y], [-turn, 0]);
  const seen = moves.filter(([dx, dy]) => dx !== 0 || dy !== 0);
  if (seen.length < (end === '' ? 1 : 3)) return '';
  const text = seen.map(([dx, dy]) => `${dx}${dy < 0 ? dy : ` ${dy}`}`);
  return `M${x} ${y}l${text.join(' ').replaceAll(' -', '-')}${end}`;
}

if (process.argv.includes('--print')) process.stdout.write(worldSvg());
else writeFileSync(target, worldSvg());
