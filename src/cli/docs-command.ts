import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Command } from 'commander';
import { print } from 'photo-service-cli/print';

export function docsCommand(): Command {
  return new Command('docs')
    .description('write the documentation as files, to be served by any web server')
    .argument('<folder>', 'where to; files of the same names are replaced')
    .option('--json', 'print one JSON document')
    .action(async (folder: string, options: { json?: boolean }) => {
      // Loaded on demand: no other command needs the pages.
      const { siteFiles } = await import('../pages/docs/site.js');
      let files = 0;
      for await (const { path, bytes } of siteFiles()) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), bytes);
        files += 1;
      }
      print(options, { folder, files }, [
        `${files} files in ${folder}; it begins at ${join(folder, 'docs/index.html')}.`,
      ]);
    });
}
