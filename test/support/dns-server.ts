import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import type { Address } from '../../src/adapters/outgoing/customer-names.js';

/**
 * A DNS server whose answers a test says one after another, whatever the name; the last is repeated. Knows A records only, and never
 * answers for names that end in `.silent.example`, nor at all for `.absent.example`, which do not exist.
 */
export class DnsServer {
  /** Questions for A records so far, answered or not. */
  asked = 0;
  /** Names of these questions. */
  readonly names: string[] = [];

  private constructor(
    private readonly socket: Socket,
    private readonly answers: readonly (readonly string[])[],
  ) {
    socket.on('message', (question, from) => {
      const { name, type } = questionIn(question);
      const answer = (code: number, addresses: readonly string[]) =>
        socket.send(answerTo(question, code, addresses), from.port, from.address);
      const addresses = this.answers[Math.min(this.asked, this.answers.length - 1)] ?? [];
      if (type === A) {
        this.asked += 1;
        this.names.push(name);
      }
      if (name.endsWith('.silent.example')) return;
      if (name.endsWith('.absent.example')) answer(NAME_ERROR, []);
      else answer(NO_ERROR, type === A ? addresses : []);
    });
  }

  /** Each answer is a list of IPv4 addresses. */
  static async start(...answers: readonly (readonly string[])[]): Promise<DnsServer> {
    const socket = createSocket('udp4');
    const server = new DnsServer(socket, answers);
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return server;
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  /** Asks this server each time, and no file of the system. */
  readonly lookup = async (hostname: string): Promise<readonly Address[]> => {
    const resolver = new Resolver();
    resolver.setServers([this.address]);
    return (await resolver.resolve4(hostname)).map((address) => ({ address, family: 4 }));
  };

  close(): Promise<void> {
    return new Promise((resolve) => this.socket.close(() => resolve()));
  }
}

/** RFC 1035, 3.2.2 and 4.1.1. */
const A = 1;
const NO_ERROR = 0;
const NAME_ERROR = 3;

/** In lower case: c-ares writes names in a random one, which the answer must repeat. */
function questionIn(message: Buffer): { name: string; type: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1) };
}

/** The question with A records for it, good for no seconds at all (RFC 1035). */
function answerTo(question: Buffer, code: number, addresses: readonly string[]): Buffer {
  const nameEnd = question.indexOf(0, 12) + 1;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8180 | code, 2);
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
