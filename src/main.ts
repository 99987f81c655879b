import { serve } from './serve.js';

await serve(process.env).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 4;
});
