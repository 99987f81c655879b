import { join, posix, win32 } from 'node:path';
import { UsageError } from '../../cli/src/exit-codes.js';
import { isInside } from '../../cli/src/mcp/import-tool.js';
import { mcpCommand } from '../../cli/src/mcp/mcp-command.js';

describe('the paths inside of a folder that was opened to an agent', () => {
  it.each([
    ['/open', '/open', true],
    ['/open', '/open/a.jpg', true],
    ['/open', '/open/..a/b.jpg', true],
    ['/', '/open/a.jpg', true],
    ['/open', '/', false],
    ['/open', '/opened/a.jpg', false],
    ['/open/deep', '/open/a.jpg', false],
  ])('in %s: %s', (folder, path, expected) => expect(isInside(folder, path, posix)).toBe(expected));

  it.each([
    ['C:\\open', 'C:\\open', true],
    ['C:\\open', 'c:\\Open\\a.jpg', true],
    ['C:\\', 'C:\\open\\a.jpg', true],
    ['C:\\open', 'C:\\opened\\a.jpg', false],
    ['C:\\open', 'C:\\secret\\a.jpg', false],
    ['C:\\open', 'D:\\secret\\a.jpg', false],
    ['C:\\open', 'D:\\open\\a.jpg', false],
    ['C:\\open', '\\\\server\\share\\a.jpg', false],
    ['\\\\server\\open', '\\\\server\\secret\\a.jpg', false],
    ['\\\\server\\open', 'C:\\open\\a.jpg', false],
  ])('on Windows, in %s: %s', (folder, path, expected) => expect(isInside(folder, path, win32)).toBe(expected));
});

it.each([
  ['is not there', join(__dirname, 'missing')],
  ['is a file', __filename],
])('a folder for an agent that %s is reported before a session begins', async (_, path) => {
  const started = mcpCommand().parseAsync(['--folder', __dirname, '--folder', path], { from: 'user' });
  await expect(started).rejects.toStrictEqual(new UsageError(`There is no folder ${path}.`));
});
