#!/usr/bin/env node
// What `npx photo-service` runs: `phs`, which starts the service if no command is given.
if (process.argv.length === 2) process.argv.push('serve');
await import('./phs.js');
