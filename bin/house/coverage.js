import { Session } from 'node:inspector/promises';

// Loaded into a process of the service before the program: answers each message with the addresses of the scripts of which functions have been
// called since the message before.
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
process.on('message', async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const called = ({ functions }) => functions.some(({ ranges: [whole] }) => whole.count > 0);
  process.send(result.filter(called).map(({ url }) => url));
});
// The service ends when it has nothing more to do.
process.channel?.unref();
