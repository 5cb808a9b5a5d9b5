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
