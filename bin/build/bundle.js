import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { viteDynamicImportVarsPlugin, viteImportGlobPlugin } from 'rolldown/experimental';
import { writeContents } from './licences.js';
import { installed } from './packages.js';

/** What starts as a process or a thread of its own, by its name in the bundle. */
const entries = {
  phs: 'cli/phs.js',
  'request-process': 'start/processes/request-process.js',
  'media-child': 'adapters/media/media-child.js',
  'metadata-thread': 'adapters/media/metadata-thread.js',
};

/** What packages try to load and do without: it is not installed. */
const absent = ['@nestjs/microservices', '@nestjs/websockets', '@fastify/static', '@node-rs/xxhash', 'supports-color'];

/** Parts of packages that nothing here uses, by who imports them: other databases than Postgres, and all phone numbers of the world. */
const neverUsed = [
  { importer: /typeorm\/driver\/DriverFactory\.js$/, name: /^\.\/(?!postgres\/)/ },
  { importer: /class-validator\/.*\/IsPhoneNumber\.js$/, name: /^libphonenumber-js/ },
];

/**
 * Packs the modules in `dist` and the packages that they load into few files in `target`: a start spends most of its time on finding and
 * reading thousands of small ones. What is imported on demand stays a file of its own.
 */
export async function bundle(dist, target) {
  const folder = join(dist, 'adapters/media/decoders');
  const decoders = readdirSync(folder).filter((file) => file.endsWith('.js'));
  const draft = await rolldown({
    input: {
      ...Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(dist, file)])),
      // They are loaded by their names: as entries, they share files with the process that loads them, and do not load it.
      ...Object.fromEntries(decoders.map((file) => [`decoder-${file.slice(0, -3)}`, join(folder, file)])),
    },
    platform: 'node',
    external: [...installed, ...absent].map((name) => new RegExp(`^${name}(/|$)`)),
    // The first two: what is imported by a name that is not known before is each file of its folder.
    plugins: [
      viteDynamicImportVarsPlugin(),
      viteImportGlobPlugin({ root: dist }),
      places(dist),
      unused,
      onNode,
      {
        // Positions in packages stay those of the bundle: maps of all of them would take longer to read than they help.
        name: 'unmapped',
        transform: {
          filter: { id: /node_modules|mcp[\\/]protocol\.js$/ },
          handler: (code) => ({ code, map: { mappings: '' } }),
        },
      },
    ],
    // Each module begins with a comment that names it from here: `dist` is another folder in each build, and the same sources give the same bytes.
    cwd: dist,
    logLevel: 'warn',
    onLog: (_, { code, message }) => {
      if (code === 'UNRESOLVED_IMPORT') throw new Error(message);
    },
  });
  const { output } = await draft.write({
    dir: target,
    // V8 gives out what it has compiled of scripts only, not of ES modules.
    format: 'cjs',
    // Nor does it let what it reads back import() anything.
    dynamicImportInCjs: false,
    entryFileNames: mainFile('[name]'),
    sourcemap: true,
    sourcemapExcludeSources: true,
    comments: false,
    // The text of a file with any other character takes twice the memory for as long as the process runs, and load.cjs reads none.
    charset: 'ascii',
    chunkFileNames: '[name]-[hash].js',
  });
  const other = output.find(({ type, code }) => type === 'chunk' && /[^\0-\x7f]/.test(code));
  if (other !== undefined)
    throw new Error(`${other.fileName} has a character that is not ASCII, perhaps in a tagged template.`);
  writeFileSync(join(target, 'package.json'), '{ "type": "commonjs" }\n');
  copyFileSync(new URL('load.cjs', import.meta.url), join(target, 'load.cjs'));
  for (const name of Object.keys(entries)) {
    writeFileSync(join(target, `${name}.js`), `module.exports = require('./load.cjs').load('./${mainFile(name)}');\n`);
  }
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  // The build of the command line has packed the protocol into one module, beside which stands what is in it.
  const protocols = modules.filter((module) => module.endsWith(join('mcp', 'protocol.js'))).map(dirname);
  writeContents(target, modules, protocols);
  await draft.close();
  return output;
}

/**
 * Stores what V8 compiles of the bundle in `target`, at the place where it stays: the compiled code names it. In a process of its own: the files
 * are loaded to be thrown away.
 * @param output What `bundle` returned.
 */
export function compile(target, output) {
  const script = join(target, 'load.cjs');
  const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
  // What the entries load, at once or later, and themselves: a set is walked on to what is added meanwhile.
  const files = new Set(Object.keys(entries).map(mainFile));
  for (const file of files) {
    const { imports, dynamicImports } = chunks.get(file);
    for (const next of [...imports, ...dynamicImports]) if (chunks.has(next)) files.add(next);
  }
  const { status } = spawnSync(process.execPath, [script, ...files], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`The files of ${target} could not be loaded.`);
}

/** Where the code of an entry is; the file of its name loads it. */
function mainFile(name) {
  return `${name}.main.js`;
}

/** Leaves out what is never used. Should it be used after all, it says so. */
const unused = {
  name: 'unused',
  resolveId(name, importer = '') {
    const importing = importer.replaceAll(sep, '/');
    return neverUsed.some((each) => each.importer.test(importing) && each.name.test(name)) ? '\0unused' : null;
  },
  load: {
    filter: { id: /^\0unused$/ },
    handler: () =>
      'module.exports = new Proxy({}, { get() { throw new Error("not part of the bundle: bin/build/bundle.js"); } });',
  },
};

/** To learn whether it runs in a Cloudflare worker, pg makes a Response, for which Node loads all of fetch. */
const onNode = {
  name: 'on-node',
  transform: {
    filter: { id: /[\\/]pg[\\/]lib[\\/]stream\.js$/ },
    handler(code) {
      if (!code.includes('= getStreamFuncs()'))
        throw new Error('pg opens its streams in another way: bin/build/bundle.js');
      return code.replace('= getStreamFuncs()', '= getNodejsStreamFuncs()');
    },
  },
};

/** Our modules find files by the place where they are. In the bundle this is another one, and an entry's file is the bundle's own. */
function places(dist) {
  return {
    name: 'places',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        if (id.includes(`${sep}node_modules${sep}`)) return null;
        return code.replace(/new URL\('([^']+)', import\.meta\.url\)/g, (_, path) => {
          const file = join(dirname(id), path);
          const entry = Object.keys(entries).find((name) => join(dist, entries[name]) === file);
          const place = entry === undefined ? relative(join(dist, 'program'), file) || '.' : `${entry}.js`;
          return `new URL('./${place.replaceAll(sep, '/')}${path.endsWith('/') ? '/' : ''}', import.meta.url)`;
        });
      },
    },
  };
}
