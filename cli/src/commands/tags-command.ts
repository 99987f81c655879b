import { Command } from 'commander';
import { PartlyDone } from '../exit-codes.js';
import { connect } from '../login.js';
import { given, idsOption, namesOption, tagId } from '../options.js';
import { count, type OutputOptions, print, printNote, table } from '../print.js';

export function tagsCommand(): Command {
  return new Command('tags')
    .description('list and change tags')
    .addCommand(list())
    .addCommand(add())
    .addCommand(remove())
    .addCommand(merge());
}

function list(): Command {
  return new Command('list')
    .description('list tags by name')
    .option('--query <text>', 'only tags whose names contain this text')
    .option('--unused', 'only tags without photos')
    .action(async (options: OutputOptions & { query?: string; unused?: boolean }) => {
      const query = given({ q: options.query, unused: options.unused, limit: 100 });
      const tags = await (await connect()).tags.list(query).toArray();
      const rows = tags.map(({ id, name, photoCount, color }) => [String(id), name, String(photoCount), color ?? '']);
      print(options, { tags }, table([['ID', 'NAME', 'PHOTOS', 'COLOUR'], ...rows]));
    });
}

interface AddOptions extends OutputOptions {
  readonly photo?: readonly number[];
  readonly color?: string;
  readonly description?: string;
}

function add(): Command {
  return new Command('add')
    .description('create a tag unless it exists, and add it to photos')
    .argument('<name>', 'the name of the tag')
    .option('--photo <ids>', 'add it to these photos (7,8; repeatable)', idsOption)
    .option('--color <color>', 'the color of a new tag, such as #3366ff')
    .option('--description <text>', 'the description of a new tag')
    .action(async (name: string, { photo, color, description, ...options }: AddOptions) => {
      const client = await connect();
      const values = { name, ...given({ color, description }) };
      const tag = await client.tags.create(values, { ifExists: 'return' });
      const changes = photo ? await client.tags.attach(tag.id, photo) : null;
      const put = changes ? `; added to ${count(changes.added, 'photo')}, ${changes.unchanged} already had it` : '';
      print(options, { tag, changes }, [`tag ${tag.id} ${tag.name}${put}`]);
      requireAll(options, [...(changes?.notFound ?? []), ...(changes?.full ?? [])]);
    });
}

function remove(): Command {
  return new Command('rm')
    .description('delete tags or, with --photo, only remove them from these photos')
    .argument('<names...>', 'names of tags', namesOption)
    .option('--photo <ids>', 'remove them from these photos (7,8; repeatable)', idsOption)
    .action(async (names: readonly string[], { photo, ...options }: OutputOptions & { photo?: readonly number[] }) => {
      const client = await connect();
      // All of them are looked up before the first is touched.
      const ids = await Promise.all(names.map((name) => tagId(client, name)));
      const missing = new Set<number>();
      for (const id of ids) {
        if (photo) for (const each of (await client.tags.detach(id, photo)).notFound) missing.add(each);
        else await client.tags.delete(id);
      }
      const done = photo ? `removed from ${count(photo.length - missing.size, 'photo')}` : 'deleted';
      print(options, { tagIds: ids, deleted: !photo, notFound: [...missing] }, [`${count(ids.length, 'tag')} ${done}`]);
      requireAll(options, [...missing]);
    });
}

function merge(): Command {
  return new Command('merge')
    .description('merge tags: move the photos of the others to the first, and delete the others')
    .argument('<into>', 'the name of the tag to keep')
    .argument('<names...>', 'the names of the tags to merge into it', namesOption)
    .action(async (into: string, names: readonly string[], options: OutputOptions) => {
      const client = await connect();
      const [target, ...others] = await Promise.all([into, ...names].map((name) => tagId(client, name)));
      const tag = await client.tags.merge(target as number, others);
      print(options, tag, [
        `${tag.name} has ${count(tag.photoCount, 'photo')} now; ${count(others.length, 'tag')} deleted`,
      ]);
    });
}

function requireAll({ json }: OutputOptions, unreached: readonly number[]): void {
  if (unreached.length === 0) return;
  if (!json) for (const id of unreached) printNote(`photo ${id}: does not exist, or has the maximum number of tags`);
  throw new PartlyDone();
}
