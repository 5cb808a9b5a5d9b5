/** A collector of OpenTelemetry for tests. It reads requests by the official definitions. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

type Message = { decode(bytes: Uint8Array): object; toObject(message: object, options: object): unknown }
type Service = Record<'ExportTraceServiceRequest' | 'ExportMetricsServiceRequest', Message>

const { opentelemetry } = createRequire(import.meta.url)('otlp-proto/build/src/generated/root')
const COLLECTOR: { trace: { v1: Service }; metrics: { v1: Service } } = opentelemetry.proto.collector
const TRACES = COLLECTOR.trace.v1.ExportTraceServiceRequest
const METRICS = COLLECTOR.metrics.v1.ExportMetricsServiceRequest

type Value = { stringValue?: string; intValue?: number; doubleValue?: number; boolValue?: boolean }
type Pair = { key: string; value: Value }
type RawSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Pair[]
  status?: { code: string; message?: string }
}
export type ReceivedSpan = Omit<RawSpan, 'attributes'> & {
  attributes: Record<string, unknown>
  resource: Record<string, unknown>
}
type Point = { attributes: Pair[]; count?: number; sum?: number; asDouble?: number }
type Metric = { name: string; unit: string; histogram?: { dataPoints: Point[] }; sum?: { dataPoints: Point[] } }
export type ReceivedPoint = {
  name: string
  unit: string
  attributes: Record<string, unknown>
  count?: number | undefined
  sum?: number | undefined
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void
const ACCEPT: Answer = (_request, response) => void response.writeHead(200).end()

export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = []
  /** The latest of each metric comes last. */
  readonly points: ReceivedPoint[] = []
  readonly headers: IncomingMessage['headers'][] = []
  /** Every request as text, to look for what must not be in it. */
  text = ''
  readonly #server: Server
  readonly #answer: Answer

  constructor(answer: Answer = ACCEPT) {
    this.#answer = answer
    this.#server = createServer((request, response) => void this.#receive(request, response))
  }

  /** Ends with the test. */
  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    onTestFinished(() => {
      this.#server.closeAllConnections()
      this.#server.close()
    })
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  named(name: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.name === name)
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks = await request.toArray()
    const sent = Buffer.concat(chunks)
    const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    this.headers.push(request.headers)
    this.text += bytes.toString('latin1')
    if (request.url?.endsWith('/v1/traces')) this.#readSpans(bytes)
    if (request.url?.endsWith('/v1/metrics')) this.#readPoints(bytes)
    this.#answer(request, response)
  }

  #readSpans(bytes: Buffer): void {
    const { resourceSpans = [] } = read(TRACES, bytes) as {
      resourceSpans?: { resource: { attributes: Pair[] }; scopeSpans: { spans: RawSpan[] }[] }[]
    }
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        this.spans.push({
          ...span,
          ...{ traceId: toHex(span.traceId), spanId: toHex(span.spanId), parentSpanId: toHex(span.parentSpanId ?? '') },
          attributes: toRecord(span.attributes),
          resource: toRecord(resource.attributes),
        })
      }
    }
  }

  #readPoints(bytes: Buffer): void {
    const { resourceMetrics = [] } = read(METRICS, bytes) as {
      resourceMetrics?: { scopeMetrics: { metrics: Metric[] }[] }[]
    }
    const metrics = resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: found }) => found))
    for (const { name, unit, histogram, sum } of metrics) {
      for (const point of (histogram ?? sum)?.dataPoints ?? []) {
        const attributes = toRecord(point.attributes)
        this.points.push({ name, unit, attributes, count: point.count, sum: point.sum ?? point.asDouble })
      }
    }
  }
}

function read(message: Message, bytes: Buffer): unknown {
  return message.toObject(message.decode(bytes), { longs: Number, enums: String, bytes: String })
}

function toHex(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex')
}

function toRecord(pairs: readonly Pair[] = []): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))
}
