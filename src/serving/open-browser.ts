import { spawn } from 'node:child_process';

/** What opens an address on each system. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a page in the person's browser, or in what BROWSER names. Where that cannot be done, it says so and nothing else happens. */
export function openBrowser(url: string): void {
  const own = process.env['BROWSER'];
  const [command, ...args] = own ? [own] : (openers[process.platform] ?? ['xdg-open']);
  spawn(command ?? '', [...args, url], { stdio: 'ignore', detached: true })
    .on('error', ({ message }) => console.error(`phs: no browser could be opened: ${message}`))
    .unref();
}
