import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childChannel } from '../../support/hostile-child.js';

/** What an attacker's code would like to have. */
export interface Targets {
  /** A file of the service that only it may read, such as its secret. */
  readonly secretFile: string;
  /** A picture that another process is given. */
  readonly otherPicture: string;
  /** The process id of another picture reader. */
  readonly otherReader: number;
  /** A folder into which nothing of it belongs. */
  readonly folder: string;
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly socketPath: string;
  /** False where a decoder that starts a process is ended, whatever else it does. */
  readonly startsProcess: boolean;
}

/** What came of each attempt: `done`, or the code of the error. */
export type Attempts = Readonly<
  Record<
    | 'environment of the service'
    | 'memory of the service'
    | 'secret file'
    | 'another picture'
    | 'the folder of another reader'
    | 'a signal to another reader'
    | 'a file outside'
    | 'TCP'
    | 'UDP'
    | 'a unix socket'
    | 'a process of its own'
    | 'a signal to the service'
    | 'the terminal of the service'
    | 'its own picture',
    string
  >
>;

/**
 * A script for a child process that does, for any picture, what code would do that has taken the decoder over, and answers what came of it
 * as what went wrong. It speaks to the parent as the real one does.
 */
export async function attackerChild(folder: string, service: number, targets: Targets): Promise<string> {
  const script = join(folder, 'attacker-child.mjs');
  await writeFile(
    script,
    `import { spawnSync } from 'node:child_process';
    import { createSocket } from 'node:dgram';
    import { once } from 'node:events';
    import { openSync, readdirSync, readFileSync, readSync, writeFileSync } from 'node:fs';
    import { connect } from 'node:net';
    const targets = ${JSON.stringify(targets)};
    const service = ${service};
    const codeOf = (error) => error.code ?? error.message;
    const attempt = async (work) => {
      try {
        await work();
        return 'done';
      } catch (error) {
        return codeOf(error);
      }
    };
    const reached = async (socket) => {
      await once(socket, 'connect');
      socket.destroy();
    };
    const sent = () =>
      new Promise((resolve, reject) => {
        const socket = createSocket('udp4');
        socket.once('error', reject);
        socket.send('here', targets.udpPort, '127.0.0.1', (error) => (error ? reject(error) : resolve()));
      });
    const attempts = (path) => ({
      'environment of the service': () => readFileSync('/proc/' + service + '/environ'),
      'memory of the service': () => openSync('/proc/' + service + '/mem', 'r'),
      'secret file': () => readFileSync(targets.secretFile),
      'another picture': () => readFileSync(targets.otherPicture),
      'the folder of another reader': () => readdirSync('/proc/' + targets.otherReader + '/cwd'),
      'a signal to another reader': () => process.kill(targets.otherReader, 0),
      'a file outside': () => writeFileSync(targets.folder + '/planted', 'x'),
      TCP: () => reached(connect(targets.tcpPort, '127.0.0.1')),
      UDP: sent,
      'a unix socket': () => reached(connect(targets.socketPath)),
      ...(targets.startsProcess && {
        'a process of its own': () => {
          const { error } = spawnSync(process.execPath, ['--version']);
          if (error) throw error;
        },
      }),
      'a signal to the service': () => process.kill(service, 0),
      'the terminal of the service': () => openSync('/dev/tty', 'r'),
      'its own picture': () => readFileSync(path),
    });
    ${childChannel}
    onJob(async ({ path }) => {
      const came = {};
      for (const [name, work] of Object.entries(attempts(path))) came[name] = await attempt(work);
      answer({ kind: 'failed', message: JSON.stringify(came) });
    });
`,
  );
  return script;
}
