/** Reports to a collector through the official SDK. Loaded only if telemetry is on. A collector never delays what it hears of. */

import { Agent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import {
  type AttributeValue,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics'
import {
  BatchSpanProcessor,
  RandomIdGenerator,
  type SpanExporter,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TraceContext } from '../agents/adapter/agent.ts'
import { digestFields } from '../kit/digest.ts'
import { orUndefined } from '../kit/fault.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import type { Log } from '../kit/log.ts'
import { raceTime } from '../kit/race.ts'
import {
  type Attributes,
  METRICS,
  type Metric,
  type MetricName,
  type Telemetry,
  type TelemetrySpan,
} from './telemetry.ts'

export type TelemetryOptions = {
  readonly endpoint: string
  readonly hasContents: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly version: string
  readonly log: Log
  /** A command ends soon after its work, whether or not the collector answers. */
  readonly isCommand: boolean
}

/** The conventions that the names are from: they are in development. */
const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.42.0'
/** Prompts may have megabytes. */
const VALUE_CHARACTERS = 16_384
const NAME_CHARACTERS = 200
/** An agent may call thousands of tools in a second. A full queue drops spans; at the end, all batches are sent at once. */
const QUEUE_SPANS = 16_384
const BATCH_SPANS = 1024
const SPAN_DELAY_MS = 2000
const METRICS_MS = 30_000
const CLOSE_MS = 3000
const COMMAND_CLOSE_MS = 2000
/** A collector that is down fails every few seconds. */
const WARN_AGAIN_MS = 60_000
const TRACE_ID_CHARACTERS = 32
/** Of the result of an export. */
const SUCCESS = 0

export function openTelemetry(options: TelemetryOptions): Telemetry {
  const { env, version, hasContents } = options
  const service = { 'service.name': 'drover', 'service.version': version }
  const resource = resourceFromAttributes(service).merge(resourceFromAttributes(variablesOf(env)))
  const connections = new Connections()
  const warn = createWarning(options.log)
  const closeMs = options.isCommand ? COMMAND_CLOSE_MS : CLOSE_MS
  const longestMs = options.isCommand ? COMMAND_CLOSE_MS : Number.POSITIVE_INFINITY
  const connect = (signal: Signal) => {
    const found = toExporterOptions(signal, options.endpoint, env)
    return found && toSdkOptions({ ...found, timeoutMillis: Math.min(found.timeoutMillis, longestMs) }, connections)
  }
  const ids = new SeededIds()
  const spans = connect('TRACES')
  const tracers = new TracerProvider({
    resource,
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: VALUE_CHARACTERS },
    spanProcessors: spans === undefined ? [] : [batches(warnOnFailure(new OTLPTraceExporter(spans), warn))],
  })
  const measured = connect('METRICS')
  const meters = new MeterProvider({
    resource,
    readers: measured === undefined ? [] : [reader(warnOnFailure(new OTLPMetricExporter(measured), warn))],
  })
  const tracer = tracers.getTracer('drover', version, { schemaUrl: SCHEMA_URL })
  const record = createInstruments(meters, version)
  return {
    hasContents,
    start: ({ name, kind, attributes, parent, seed }) => {
      const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent))
      ids.seed = seed
      const span = tracer.startSpan(
        name.slice(0, NAME_CHARACTERS),
        { kind: kind === 'server' ? SpanKind.SERVER : SpanKind.INTERNAL, attributes: known(attributes) },
        context,
      )
      ids.seed = undefined
      return toTelemetrySpan(span, parent)
    },
    measure: (metric, value, attributes) => record(metric, value, known(attributes)),
    close: async () => {
      await raceTime(Promise.allSettled([tracers.shutdown(), meters.shutdown()]), closeMs)
      // A collector that gives no answer must not keep the process.
      connections.close()
    },
  }
}

/** Variables of OpenTelemetry that describe this process. */
function variablesOf(env: TelemetryOptions['env']): Record<string, string> {
  const { OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: pairs } = env
  return { ...parsePairs(pairs), ...(name !== undefined && name !== '' && { 'service.name': name }) }
}

type SdkOptions = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>

/** Those of the exporters, which would try again for as long as their time limit. */
class Connections {
  readonly #agents: Agent[] = []
  #isClosed = false

  add(agent: Agent): Agent {
    this.#agents.push(agent)
    return agent
  }

  check(): void {
    if (this.#isClosed) throw new Error('telemetry is closed')
  }

  close(): void {
    this.#isClosed = true
    for (const agent of this.#agents) agent.destroy()
  }
}

function toSdkOptions({ compression, headers, ...options }: ExporterOptions, connections: Connections): SdkOptions {
  const httpAgentOptions = (protocol: string) =>
    connections.add(protocol === 'http:' ? new Agent({ keepAlive: true }) : new TlsAgent({ keepAlive: true }))
  const headersNow = async () => {
    connections.check()
    return { ...headers }
  }
  const algorithm = compression as NonNullable<SdkOptions['compression']>
  return { ...options, headers: headersNow, httpAgentOptions, compression: algorithm }
}

function batches(exporter: SpanExporter): SpanProcessor {
  const limits = { maxQueueSize: QUEUE_SPANS, maxExportBatchSize: BATCH_SPANS, scheduledDelayMillis: SPAN_DELAY_MS }
  return new BatchSpanProcessor({ exporter, ...limits })
}

function reader(exporter: PushMetricExporter): PeriodicExportingMetricReader {
  return new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: METRICS_MS })
}

type Exported = { readonly code: number; readonly error?: Error }

/** Tells the log, now and then, that the collector gets nothing. Its answers stay out of the log. */
function warnOnFailure<T extends { export(data: never, onDone: (result: Exported) => void): void }>(
  exporter: T,
  warn: (error: Error | undefined) => void,
): T {
  const send = exporter.export.bind(exporter)
  exporter.export = (data, onDone) =>
    send(data, (result) => {
      if (result.code !== SUCCESS) warn(result.error)
      onDone(result)
    })
  return exporter
}

function createWarning(log: Log): (error: Error | undefined) => void {
  let warnedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    if (performance.now() - warnedAt < WARN_AGAIN_MS) return
    warnedAt = performance.now()
    const { code, name } = (error ?? {}) as { code?: unknown; name?: string }
    log.warn({ reason: String(code ?? name ?? 'unknown') }, 'the collector of telemetry does not accept it')
  }
}

/** The trace of a run is known without a record of it. */
class SeededIds extends RandomIdGenerator {
  seed: string | undefined
  readonly #random = this.generateTraceId

  constructor() {
    super()
    this.generateTraceId = () => {
      if (this.seed === undefined) return this.#random()
      return digestFields(['drover-trace/v1', this.seed]).slice(-TRACE_ID_CHARACTERS)
    }
  }
}

function createInstruments(meters: MeterProvider, version: string) {
  const meter = meters.getMeter('drover', version, { schemaUrl: SCHEMA_URL })
  const record = new Map<MetricName, (value: number, attributes: Known) => void>()
  for (const [name, metric] of Object.entries(METRICS) as [MetricName, Metric][]) {
    const { unit, description, boundaries } = metric
    if (boundaries === undefined) {
      const counter = meter.createCounter(name, { unit, description })
      record.set(name, (value, attributes) => counter.add(value, attributes))
    } else {
      const advice = { explicitBucketBoundaries: [...boundaries] }
      const histogram = meter.createHistogram(name, { unit, description, advice })
      record.set(name, (value, attributes) => histogram.record(value, attributes))
    }
  }
  return (name: MetricName, value: number, attributes: Known) => record.get(name)?.(value, attributes)
}

function toSpanContext({ traceparent, tracestate }: TraceContext): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-')
  const state = tracestate === undefined ? {} : { traceState: createTraceState(tracestate) }
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true, ...state }
}

function toTelemetrySpan(span: Span, parent: TraceContext | undefined): TelemetrySpan {
  const { traceId, spanId, traceFlags } = span.spanContext()
  const flags = traceFlags.toString(16).padStart(2, '0')
  const state = parent?.tracestate === undefined ? {} : { tracestate: parent.tracestate }
  // A client that sent a trace wants its agent to know it. Otherwise it is a nicety.
  const own = parent === undefined || parent.isOwn === true ? ({ isOwn: true } as const) : {}
  return {
    trace: { traceparent: `00-${traceId}-${spanId}-${flags}`, ...state, ...own },
    set: (attributes) => void span.setAttributes(known(attributes)),
    end: (errorType) => {
      if (errorType !== undefined) {
        span.setAttribute('error.type', errorType)
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
}

type Known = Record<string, AttributeValue>

function known(attributes: Attributes): Known {
  return withoutUndefined(attributes)
}

/** Where telemetry goes: the setting, and the standard variables of OpenTelemetry. Pure. */
type Environment = Readonly<Record<string, string | undefined>>

type ExporterOptions = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMillis: number
  readonly compression: 'gzip' | 'none'
}

const PATHS = { TRACES: 'v1/traces', METRICS: 'v1/metrics' } as const
type Signal = keyof typeof PATHS

const DEFAULT_TIMEOUT_MS = 10_000
/** Longer, and what waits would fill the memory. */
const LONGEST_TIMEOUT_MS = 60_000

/**
 * Undefined: the signal is not exported. The setting wins over the variables. They are read here, because drover hides them
 * from agents, and so from libraries that look into the environment of the process.
 */
export function toExporterOptions(signal: Signal, endpoint: string, env: Environment): ExporterOptions | undefined {
  const find = (name: string) => env[`OTEL_EXPORTER_OTLP_${signal}_${name}`] || env[`OTEL_EXPORTER_OTLP_${name}`]
  if (env[`OTEL_${signal}_EXPORTER`] === 'none') return undefined
  const own = endpoint === '' ? env[`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`] : undefined
  const base = endpoint || env['OTEL_EXPORTER_OTLP_ENDPOINT']
  const url = own || (base && `${base.replace(/\/+$/, '')}/${PATHS[signal]}`)
  if (url === undefined || url === '' || !URL.canParse(url)) return undefined
  const timeout = Number(find('TIMEOUT'))
  return {
    url,
    headers: {
      ...parsePairs(env['OTEL_EXPORTER_OTLP_HEADERS']),
      ...parsePairs(env[`OTEL_EXPORTER_OTLP_${signal}_HEADERS`]),
    },
    timeoutMillis: timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT_MS) : DEFAULT_TIMEOUT_MS,
    compression: find('COMPRESSION') === 'gzip' ? 'gzip' : 'none',
  }
}

/** `a=1,b=x%20y`, as W3C Baggage. */
function parsePairs(text = ''): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const [name = '', ...value] = pair.split('=')
    return name.trim() === '' || value.length === 0 ? [] : [[name.trim(), decode(value.join('=').trim())]]
  })
  return Object.fromEntries(pairs)
}

function decode(text: string): string {
  return orUndefined(() => decodeURIComponent(text)) ?? text
}
