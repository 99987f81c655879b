import { serve } from './serve.js';
import { loadSettings } from './settings-file.js';

try {
  await serve(loadSettings(), { open: false });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 4;
}
