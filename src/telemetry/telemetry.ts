/** What drover reports to OpenTelemetry. Others import only its types: while telemetry is off, nothing of it is loaded. */
import type { TraceContext } from '../agents/adapter/agent.ts'

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

/** The metrics of drover, with the boundaries that the GenAI conventions recommend. */
export type Metric = { readonly unit: string; readonly description: string; readonly boundaries?: readonly number[] }

/** 0.01, 0.02, 0.04 and so on. */
const TOOL_SECONDS = Array.from({ length: 14 }, (_, power) => 2 ** power / 100)
const AGENT_SECONDS = Array.from({ length: 13 }, (_, power) => 2 ** power / 10)
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power)

export const METRICS = {
  'gen_ai.client.token.usage': {
    unit: '{token}',
    description: 'Number of input and output tokens used.',
    boundaries: TOKENS,
  },
  'gen_ai.invoke_agent.duration': {
    unit: 's',
    description: 'The duration of one run of an agent.',
    boundaries: AGENT_SECONDS,
  },
  'gen_ai.execute_tool.duration': {
    unit: 's',
    description: 'The duration of one tool call.',
    boundaries: TOOL_SECONDS,
  },
  'gen_ai.workflow.duration': {
    unit: 's',
    description: 'The time that a process has driven a run.',
    boundaries: [1, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200],
  },
  'drover.cost_usd': { unit: '{USD}', description: 'What agents cost, where the cost is known.' },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof METRICS
