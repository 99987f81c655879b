import { clientCommandNames } from '../../cli/src/command-names.js';
import { manPage } from '../../cli/src/man-page.js';

const page = manPage('1.2.3');
const lines = page.split('\n');

test('the manual page has every command with its options, and every exit code', () => {
  expect(lines[0]).toBe('.TH PHS 1 "" "phs 1.2.3" "Photo Service"');
  for (const name of clientCommandNames) expect(page).toMatch(new RegExp(`^\\.SS "phs (\\w+ )?${name}\\b`, 'm'));
  expect(page).toContain('.SS "phs photos edit [options] <ids...>"');
  expect(page).toContain('.B "\\-\\-watch"\ngo on with what arrives in the folders, until Ctrl\\-C');
  expect(page).toContain('.B "130"\ninterrupted by Ctrl\\-C');
});

test('each line of the manual page is a known request or text', () => {
  const requests = new Set(lines.filter((line) => /^[.']/.test(line)).map((line) => line.split(' ', 1)[0]));
  expect([...requests].sort()).toEqual(['.B', '.I', '.SH', '.SS', '.TH', '.TP']);
  for (const line of lines) expect(line.match(/(?<!\\)"/g)?.length ?? 0).toBeLessThanOrEqual(6);
});
