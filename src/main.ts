import { loadSettings } from './composition/blob-stores.js';
import { serve } from './start/serve.js';

try {
  await serve(loadSettings(), { open: false });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 4;
}
