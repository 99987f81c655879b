import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

// Writes the shapes of the icons: `node bin/generate/icons.js`, after another version of @iconify-json/lucide was installed or a name was added here.
// `--print` shows them instead.

const names = [
  'archive-restore',
  'chevron-left',
  'chevron-right',
  'circle-check',
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

const { icons } = createRequire(import.meta.url)('@iconify-json/lucide/icons.json');

/** Every shape as a path: circles and rectangles of the set are few, and one kind of element is enough for the pages. */
const toPath = {
  path: ({ d }) => d,
  circle: ({ cx, cy, r }) => `M${cx - r} ${cy}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  rect: ({ x, y, width, height, rx = 0 }) => {
    const [w, h, r] = [width - 2 * rx, height - 2 * rx, Number(rx)];
    const turn = (dx, dy) => (r === 0 ? '' : `a${r} ${r} 0 0 1 ${dx * r} ${dy * r}`);
    return `M${Number(x) + r} ${y}h${w}${turn(1, 1)}v${h}${turn(-1, 1)}h${-w}${turn(-1, -1)}v${-h}${turn(1, -1)}z`;
  },
};

/** A path that begins with a relative move begins at the origin; joined to another, it has to say so. What follows stays relative. */
const RELATIVE_START = /^m(-?(?:\d*\.\d+|\d+))[ ,]?(-?(?:\d*\.\d+|\d+))([ ,]|(?=-))?/;

function pathOf(name) {
  const body = icons[name]?.body;
  if (body === undefined) throw new Error(`@iconify-json/lucide has no icon ${name}.`);
  // Its shapes, in a group that says how lines look.
  return [...body.matchAll(/<(\w+) ([^>]*)\/>/g)]
    .map(([, kind, attributes]) => {
      const shape = toPath[kind];
      if (shape === undefined) throw new Error(`${name}: ${kind} cannot be written as a path yet.`);
      const values = [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, attribute, value]) => [attribute, value]);
      return shape(Object.fromEntries(values)).replace(
        RELATIVE_START,
        (_, x, y, next) => `M${x} ${y}${next === undefined ? '' : 'l'}`,
      );
    })
    .join('');
}

const code = `// Written by bin/generate/icons.js. Shapes of Lucide (https://lucide.dev), ISC licence, copyright Lucide Icons and Contributors.

/** Each as the path of a line, in a square of 24. */
export const iconShapes = {
${names.map((name) => `  '${name}': '${pathOf(name)}',`.replace(/^ {2}'(\w+)':/, '  $1:')).join('\n')}
} as const;

export type IconName = keyof typeof iconShapes;
`;

if (process.argv.includes('--print')) process.stdout.write(code);
else writeFileSync(fileURLToPath(new URL('../../src/pages/icon-shapes.ts', import.meta.url)), code);
