import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

// Writes the shapes of the icons: `node bin/icons.js`, after another version of lucide-static was installed or a name was added here.
// `--print` shows them instead.

const names = [
  'archive-restore',
  'calendar-days',
  'chart-column',
  'chevron-left',
  'chevron-right',
  'circle-check',
  'copy',
  'download',
  'image-plus',
  'images',
  'info',
  'key-round',
  'keyboard',
  'log-out',
  'map-pin',
  'maximize',
  'pencil',
  'plus',
  'rotate-ccw',
  'rotate-cw',
  'search',
  'send',
  'share-2',
  'sliders-horizontal',
  'tag',
  'trash',
  'undo-2',
  'upload',
  'webhook',
  'x',
  'zoom-in',
];

const nodes = JSON.parse(readFileSync(createRequire(import.meta.url).resolve('lucide-static/icon-nodes.json'), 'utf8'));

/** Every shape as a path: circles and rectangles of the set are few, and one kind of element is enough for the pages. */
const toPath = {
  path: ({ d }) => d,
  circle: ({ cx, cy, r }) => `M${cx - r} ${cy}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  line: ({ x1, y1, x2, y2 }) => `M${x1} ${y1}L${x2} ${y2}`,
  polyline: ({ points }) => `M${points}`,
  rect: ({ x, y, width, height, rx = 0 }) => {
    const [w, h, r] = [width - 2 * rx, height - 2 * rx, Number(rx)];
    const turn = (dx, dy) => (r === 0 ? '' : `a${r} ${r} 0 0 1 ${dx * r} ${dy * r}`);
    return `M${Number(x) + r} ${y}h${w}${turn(1, 1)}v${h}${turn(-1, 1)}h${-w}${turn(-1, -1)}v${-h}${turn(1, -1)}z`;
  },
};

/** A path that begins with a relative move begins at the origin; joined to another, it has to say so. What follows stays relative. */
const RELATIVE_START = /^m(-?[\d.]+[ ,]?-?[\d.]+)(?=[ ,-])[ ,]?/;

function pathOf(name) {
  const parts = nodes[name];
  if (parts === undefined) throw new Error(`lucide-static has no icon ${name}.`);
  return parts
    .map(([kind, attributes]) => {
      const shape = toPath[kind];
      if (shape === undefined) throw new Error(`${name}: ${kind} cannot be written as a path yet.`);
      return shape(attributes).replace(RELATIVE_START, 'M$1l');
    })
    .join('');
}

const code = `// Written by bin/icons.js. Shapes of Lucide (https://lucide.dev), ISC licence, copyright Lucide Icons and Contributors.

/** Each as the path of a line, in a square of 24. */
export const iconShapes = {
${names.map((name) => `  '${name}': '${pathOf(name)}',`.replace(/^ {2}'(\w+)':/, '  $1:')).join('\n')}
} as const;

export type IconName = keyof typeof iconShapes;
`;

if (process.argv.includes('--print')) process.stdout.write(code);
else writeFileSync(fileURLToPath(new URL('../src/http/settings/icon-shapes.ts', import.meta.url)), code);
