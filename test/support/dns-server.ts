import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import type { Address } from '../../src/adapters/outgoing/permitted-addresses.js';

/** A DNS server for one name, whose answers a test says one after another; the last is repeated. Knows A records only. */
export class DnsServer {
  /** Questions so far. */
  asked = 0;

  private constructor(
    private readonly socket: Socket,
    private readonly answers: readonly (readonly string[])[],
  ) {
    socket.on('message', (question, from) => {
      const addresses = this.answers[Math.min(this.asked, this.answers.length - 1)] ?? [];
      this.asked += 1;
      socket.send(answerTo(question, addresses), from.port, from.address);
    });
  }

  /** Each answer is a list of IPv4 addresses. */
  static async start(...answers: readonly (readonly string[])[]): Promise<DnsServer> {
    const socket = createSocket('udp4');
    const server = new DnsServer(socket, answers);
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  /** Asks this server, and no file of the system. */
  readonly lookup = async (hostname: string): Promise<readonly Address[]> => {
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${this.socket.address().port}`]);
    return (await resolver.resolve4(hostname)).map((address) => ({ address, family: 4 }));
  };

  close(): Promise<void> {
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }
}

/** The question with A records for it, good for no seconds at all (RFC 1035). */
function answerTo(question: Buffer, addresses: readonly string[]): Buffer {
  const nameEnd = question.indexOf(0, 12) + 1;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(addresses.length, 6);
  // What the resolver said beyond its question (EDNS) is not answered.
  header.writeUInt16BE(0, 10);
  const records = addresses.map((address) => {
    const record = Buffer.alloc(16);
    // A pointer to the name in the question.
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(1, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt16BE(4, 10);
    for (const [at, octet] of address.split('.').entries()) record.writeUInt8(Number(octet), 12 + at);
    return record;
  });
  return Buffer.concat([header, question.subarray(12, nameEnd + 4), ...records]);
}
