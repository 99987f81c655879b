import { setTimeout as delay } from 'node:timers/promises';
import {
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, type NodeTracerConfig, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Job } from '../../core/jobs/job.js';
import { withTraceContext } from '../trace-context.js';

/** The longest time that sending the last spans may take when the service ends. */
const GOODBYE_MS = 2000;

/**
 * Traces, sent by OTLP over HTTP as JSON: a span for each request, below that of its sender (`traceparent`), and one for each run of a job,
 * linked to the request that caused it. They contain route templates, and nothing that a client sent. If the collector is unavailable, only
 * spans are lost.
 */
export class OtlpTracing {
  private readonly provider: NodeTracerProvider;
  private readonly tracer: Tracer;

  /** @param endpoint The collector's, as in OTEL_EXPORTER_OTLP_ENDPOINT: `v1/traces` is added. */
  constructor(endpoint: string, { version, role }: { readonly version: string; readonly role: string }) {
    const attributes = {
      'service.name': process.env.OTEL_SERVICE_NAME ?? 'photo-service',
      'service.version': version,
      'photo_service.role': role,
    };
    const resource: NonNullable<NodeTracerConfig['resource']> = {
      attributes,
      merge: () => resource,
      getRawAttributes: () => Object.entries(attributes),
    };
    const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/{1,9}$/, '')}/v1/traces` });
    this.provider = new NodeTracerProvider({
      resource,
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
    this.tracer = this.provider.getTracer('photo-service', version);
  }

  /** Begins the span of a request. */
  readonly request = (asked: { readonly method: string; readonly traceparent: string | undefined }) => {
    const { method } = asked;
    const sender = readTraceparent(asked.traceparent);
    const parent = sender === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, sender);
    const attributes = { 'http.request.method': method };
    const span = this.tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    return {
      run: (work: () => void): void => withTraceContext(writeTraceparent(span.spanContext()), work),
      end: ({ route, status, requestId }: { route: string | null; status: number; requestId: string }): void => {
        if (route !== null) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        span.setAttributes({ 'http.response.status_code': status, 'photo_service.request_id': requestId });
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  };

  /** Runs a job in its own trace. */
  async job({ work, attempt, traceContext }: Job, run: () => Promise<void>): Promise<void> {
    const request = readTraceparent(traceContext);
    const span = this.tracer.startSpan(`job ${work.kind}`, {
      kind: SpanKind.CONSUMER,
      root: true,
      links: request === null ? [] : [{ context: request }],
      attributes: { 'photo_service.job.kind': work.kind, 'photo_service.job.attempt': attempt },
    });
    try {
      await withTraceContext(writeTraceparent(span.spanContext()), run);
    } catch (error) {
      // The name only: a message may reveal too much about a file.
      span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'thrown' });
      throw error;
    } finally {
      span.end();
    }
  }

  /** Sends the remaining spans, within a short time. */
  async close(): Promise<void> {
    const done = new AbortController();
    const patience = delay(GOODBYE_MS, undefined, { signal: done.signal, ref: false }).catch(() => undefined);
    await Promise.race([this.provider.shutdown().catch(() => undefined), patience]);
    done.abort();
  }
}

/** W3C Trace Context, version 00; later ones begin the same way. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** Null if it is missing or invalid. */
export function readTraceparent(text: string | null | undefined): SpanContext | null {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text ?? '') ?? [];
  const read = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
  return isSpanContextValid(read) ? read : null;
}

function writeTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
