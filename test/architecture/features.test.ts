/* @slow @rest */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TreeCopy } from '../support/tree-copy.js';

/** The lists of what there is, and their counterparts in memory: a feature has its lines there. */
const lists = [
  'src/app.module.ts',
  'src/ports.module.ts',
  'src/adapters/typeorm/database-ports.ts',
  'src/pages/pages.module.ts',
  'src/adapters/typeorm/registry.ts',
  'testing/memory/memory-customer-store.ts',
  'testing/memory-ports.ts',
  'testing/contracts.ts',
];

interface Feature {
  /** Folders and files of the feature's own, its tests included. */
  readonly own: readonly RegExp[];
  /** The texts that name it elsewhere, each with its file. */
  readonly edits: readonly (readonly [file: string, text: string])[];
  /** Lines of that outside of the lists. */
  readonly linesElsewhere: number;
}

/*
 * Words of stored rows stay, because rows that have them do: types of events, actions of the audit log, ways of traffic, the share that an
 * import came by.
 */
const features: Readonly<Record<string, Feature>> = {
  'the map': {
    own: [
      /^src\/(core\/photos|adapters\/typeorm|pages)\/map$/,
      /^src\/pages\/assets\/map\.ts$/,
      /^test(ing\/memory)?\/[a-z]+\/(map\.test|(memory-)?photo-clusters(\.contract)?)\.ts$/,
    ],
    edits: [
      ['src/pages/pages.module.ts', "import { MapController } from './map/map.controller.js';\n"],
      ['src/pages/pages.module.ts', '      MapController,\n'],
      ['src/adapters/typeorm/registry.ts', "import { TypeormPhotoClusters } from './map/photo-clusters.js';\n"],
      ['src/adapters/typeorm/registry.ts', '  clusters: TypeormPhotoClusters,\n'],
      [
        'testing/memory/memory-customer-store.ts',
        "import { MemoryPhotoClusters } from './photos/memory-photo-clusters.js';\n",
      ],
      ['testing/memory/memory-customer-store.ts', '      clusters: create(MemoryPhotoClusters),\n'],
    ],
    linesElsewhere: 0,
  },
  shares: {
    own: [
      /^src\/((core|adapters\/typeorm|api|pages)\/shares|pages\/visitors)$/,
      /^src\/(cli\/share-command\.ts|pages\/assets\/(share\.ts|styles\/share\.css))$/,
      /^test(ing)?\/[a-z]+\/((own-)?shares?(-[a-z-]+)?\.(test|contract)|memory-shares)\.ts$/,
    ],
    edits: [
      ['src/app.module.ts', "import { shareErrorPage } from './pages/visitors/share.controller.js';\n"],
      ['src/app.module.ts', "import { SharesModule } from './pages/shares/shares.module.js';\n"],
      ['src/app.module.ts', '    SharesModule,\n'],
      ['src/app.module.ts', 'shareErrorPage, '],
      [
        'src/adapters/typeorm/database-ports.ts',
        "import { TypeormShareFinder } from './shares/share.repository.js';\n",
      ],
      ['src/ports.module.ts', "import { shareTokens } from './core/shares/own-shares.js';\n"],
      ['src/adapters/typeorm/database-ports.ts', '  shares: TypeormShareFinder,\n'],
      ['src/ports.module.ts', 'shareTokens, '],
      [
        'src/adapters/typeorm/registry.ts',
        "import { shareTable, TypeormShareRepository } from './shares/share.repository.js';\n",
      ],
      ['src/adapters/typeorm/registry.ts', '  shareTable,\n'],
      ['src/adapters/typeorm/registry.ts', '  shares: TypeormShareRepository,\n'],
      ['testing/memory/memory-customer-store.ts', "import { MemoryShareRepository } from './memory-shares.js';\n"],
      ['testing/memory/memory-customer-store.ts', '      shares: create(MemoryShareRepository),\n'],
      ['testing/memory-ports.ts', "import { MemoryShareFinder } from './memory/memory-shares.js';\n"],
      ['testing/memory-ports.ts', '    shares: new MemoryShareFinder(database),\n'],
      ['testing/contracts.ts', "import { shareFinderContract } from '../test/contracts/share-finder.contract.js';\n"],
      ['testing/contracts.ts', '  shareFinderContract,\n'],
      // Elsewhere: the body of its events, and its command.
      ['src/api/webhooks/event-body.ts', "import { announcedShare } from '../shares/share.view.js';\n"],
      ['src/api/webhooks/event-body.ts', "  share: { schema: 'Share', dispensable: [], read: announcedShare },\n"],
      ['src/cli/own-commands.ts', "import { shareCommand } from './share-command.js';\n"],
      ['src/cli/own-commands.ts', "    printing(shareCommand(), 'phs share list --customer 1'),\n"],
    ],
    linesElsewhere: 4,
  },
};

/** Compilation, and suites in a process of their own, beside all others. */
jest.setTimeout(900_000);

let copy: TreeCopy;
beforeAll(() => {
  copy = new TreeCopy();
});
afterAll(() => copy.remove());

test.each(Object.entries(features))('%s can be removed, with few lines that name it elsewhere', (_, feature) => {
  const all = ['src', 'testing', 'test'].flatMap((folder) =>
    readdirSync(join(copy.path, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const names = all.filter((name) => feature.own.some((pattern) => pattern.test(name)));
  expect(names.length).toBeGreaterThan(6);
  for (const name of names) rmSync(join(copy.path, name), { recursive: true });

  for (const [file, text] of feature.edits) {
    const [before, after, ...more] = readFileSync(join(copy.path, file), 'utf8').split(text);
    expect([file, text, after === undefined ? 0 : 1 + more.length]).toEqual([file, text, 1]);
    writeFileSync(join(copy.path, file), `${before}${after}`);
  }
  const elsewhere = feature.edits.filter(([file]) => !lists.includes(file));
  expect(elsewhere.flatMap(([, text]) => text.trimEnd().split('\n')).length).toBe(feature.linesElsewhere);
});

test('without the removable features the program compiles, for the server and for browsers', () => {
  copy.checkTypes();
  copy.checkTypes('-p', 'tsconfig.web.json');
});

test('without the removable features the suites of photos, tags and imports pass, in memory and on Postgres', () => {
  const concepts = '(photos|tags|imports)';
  const suites = `test/(core/(${concepts}|import-[a-z]+)|(api|pages)/${concepts}|adapters/typeorm-photos)\\.test`;
  expect(copy.jest(suites)).toMatch(/Test Suites: +14 passed, 14 total/);
});
