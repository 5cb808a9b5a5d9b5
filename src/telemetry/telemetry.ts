/** What drover reports to OpenTelemetry. Only types: while telemetry is off, nothing of it is loaded. */
import type { TraceContext } from '../agents/adapter/agent.ts'
import type { MetricName } from './instruments.ts'

/** An undefined value is left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

type SpanStart = {
  readonly name: string
  readonly kind?: 'server' | 'internal'
  readonly attributes: Attributes
  /** Undefined: the span begins a trace. */
  readonly parent?: TraceContext | undefined
  /** A span without a parent is in the same trace as every other one with this seed. */
  readonly seed?: string | undefined
}

export type TelemetrySpan = {
  /** For what is part of it. */
  readonly trace: TraceContext
  set(attributes: Attributes): void
  /** `errorType` is the code of an error. A message may hold secrets, so there is none. */
  end(errorType?: string): void
}

export type Telemetry = {
  /** Prompts, answers and the input and output of tools are reported. */
  readonly hasContents: boolean
  start(span: SpanStart): TelemetrySpan
  measure(metric: MetricName, value: number, attributes: Attributes): void
  /** Sends what waits, for a limited time. */
  close(): Promise<void>
}
