import { connect } from 'node:net';

/** Everything that a server answers to these bytes, until it or they close the connection. */
export function sendBytes(url: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes, 'latin1'));
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(seen));
    // Whoever is refused while still sending may see the connection reset, behind the answer.
    socket.on('error', () => undefined);
  });
}
