import { register } from 'node:module';

// node --import ./bin/typescript.js …: the process reads TypeScript, for tools that load a file of ours, such as TypeORM's command.
register('./typescript-hooks.js', import.meta.url);
