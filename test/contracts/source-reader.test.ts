import { HttpSourceReader } from '../../src/adapters/sources/http-source-reader.js';
import { MemorySourceReader } from '../../testing/memory/imports/memory-fetches.js';
import { SourceServer, serve } from '../support/source-server.js';
import { type ServedFile, sourceReaderContract } from './source-reader.contract.js';

sourceReaderContract('memory', async () => {
  const reader = new MemorySourceReader();
  const place = ({ bytes, etag: validator = '"1"', ...more }: ServedFile) => {
    reader.sources.set('https://example.com/a.jpg', { bytes, validator, ...more });
    return 'https://example.com/a.jpg';
  };
  return { reader, place, nowhere: 'https://example.com/nothing', close: async () => {} };
});

sourceReaderContract('HTTP', async () => {
  const server = await SourceServer.start();
  const reader = new HttpSourceReader({ allowPrivate: true });
  const place = (file: ServedFile) =>
    server.on(
      '/a.jpg',
      serve(() => file),
    );
  return { reader, place, nowhere: server.url('/nothing'), close: () => server.close() };
});
