/** What comes of prompts, the same on the command line and over HTTP. */
import { type TProperties, Type } from 'typebox'
import { Usage } from '../agents/adapter/agent.shape.ts'
import { type Message, named } from '../kit/shape.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })
const totalDuration = count('From the first to the last, waiting included.')

const RESULT = {
  session_id: Type.String({ description: "drover's own id; empty when no session was kept." }),
  backend: Type.String({
    description: 'As it was asked for, which inside of a parallel call may be one that does not exist.',
  }),
  model: Type.Optional(Type.String({ description: 'What the agent says it used.' })),
  exit_code: Type.Integer({
    description:
      '0 success, 124 timeout, 130 interrupted, -1 never started because of a cancel; otherwise the own of the agent.',
  }),
  duration_ms: count('How long the agent ran.'),
  output: Type.String({ description: 'The answer; of a dry run the command that would be started.' }),
  token_usage: Usage,
  backend_session_id: Type.Optional(Type.String({ description: "The agent's own id of the session." })),
  error: Type.Optional(Type.String({ description: 'Only on failure: a sentence.' })),
  error_code: Type.Optional(Type.String({ description: 'Only on failure: its code.' })),
  warnings: Type.Optional(Type.Array(Type.String(), { description: 'What was asked for and could not be had.' })),
} satisfies TProperties

export const PromptResult = named('PromptResult', Type.Object(RESULT))
export type PromptResult = Message<typeof PromptResult>

export const ParallelResult = named(
  'ParallelResult',
  Type.Object({
    total_tasks: count('All that were asked for.'),
    completed: count('Those that succeeded.'),
    failed: count('Those that did not.'),
    canceled: count('Neither of the two: cancelled before or while they ran.'),
    total_duration_ms: totalDuration,
    results: Type.Array(PromptResult, { description: 'In the order of the tasks.' }),
  }),
)
export type ParallelResult = Message<typeof ParallelResult>

export const StepResult = named(
  'StepResult',
  Type.Object({
    step: Type.Integer({ minimum: 1, description: 'Counted from 1.' }),
    name: Type.Optional(Type.String({ description: 'As the request has it.' })),
    ...RESULT,
  }),
)
export type StepResult = Message<typeof StepResult>

export const ChainResult = named(
  'ChainResult',
  Type.Object({
    total_steps: count('All that were asked for.'),
    completed_steps: count('Those that succeeded.'),
    failed_step: Type.Optional(Type.Integer({ minimum: 1, description: 'The first that did not, counted from 1.' })),
    total_duration_ms: totalDuration,
    results: Type.Array(StepResult, { description: 'Of the steps that were begun.' }),
  }),
)
export type ChainResult = Message<typeof ChainResult>

export const ComparisonResult = named(
  'ComparisonResult',
  Type.Object({
    prompt: Type.String({ description: 'What all were asked.' }),
    backends: Type.Array(Type.String(), { description: 'As they were asked for.' }),
    results: Type.Array(PromptResult, { description: 'In the order of the backends.' }),
    total_duration_ms: totalDuration,
  }),
)
export type ComparisonResult = Message<typeof ComparisonResult>
