import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

type Values = Readonly<Record<string, string | number>>;

/** A span as it was sent. */
export interface SentSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Values;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** Of the process that sent it. */
  readonly resource: Values;
}

/** Takes what OTLP over HTTP sends as JSON, as any collector of OpenTelemetry does. */
export class Collector {
  readonly spans: SentSpan[] = [];
  /** Everything as it came, to look for what must not be there. */
  received = '';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Collector> {
    const server = createServer();
    const collector = new Collector(server);
    server.on('request', async (request, response) => {
      const isTraces = request.method === 'POST' && request.url === '/v1/traces';
      if (isTraces) collector.take((await json(request)) as Sent);
      response.writeHead(isTraces ? 200 : 404, { 'Content-Type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private take(sent: Sent): void {
    this.received += JSON.stringify(sent);
    for (const { resource, scopeSpans } of sent.resourceSpans) {
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const { name, traceId, spanId, parentSpanId, attributes = [], links = [] } = span;
        const values = { attributes: valuesOf(attributes), resource: valuesOf(resource.attributes) };
        this.spans.push({ name, traceId, spanId, parentSpanId, links, ...values });
      }
    }
  }
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

/** OTLP's JSON, as far as it is looked at. */
interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly name: string;
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly attributes?: readonly Attribute[];
        readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
      }[];
    }[];
  }[];
}

function valuesOf(attributes: readonly Attribute[]): Values {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));
}
