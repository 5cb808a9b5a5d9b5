/** What may stand in the files of `drover parallel` and `drover chain`. What is left out falls to flags and settings. */
import { type Static, Type } from 'typebox'
import { BACKENDS } from '../../agents/adapter/agent.ts'
import type { JsonObject } from '../../kit/json/json-value.ts'
import { literals, strict, textLike } from '../../kit/shape.ts'
import { ChainRequest, ChainStep, PromptRequest } from '../../prompts/prompt-request.shape.ts'

const MAX_TASKS = 1000
const MAX_STEPS = 100
const MAX_TAGS = 64

/** Unlike over HTTP a name that no agent has is refused at once: nobody else's task depends on this file. */
const backend = Type.Optional(literals(BACKENDS, { description: 'The agent; the default one if left out.' }))

const label = (description: string) =>
  Type.Optional(
    textLike('^[^\\u0000-\\u001f\\u007f]{1,200}$', 'text of 1 to 200 characters on one line', { description }),
  )

const outputDir = Type.Optional(Type.String({ minLength: 1, description: 'Where each result is written to.' }))

export const TaskInFile = strict({
  ...PromptRequest.properties,
  backend,
  id: label('Your own id of the task, given back with its result.'),
  name: label('What the task is called in tables.'),
  tags: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_TAGS, description: 'Given back with the result.' })),
  meta: Type.Optional(Type.Unsafe<JsonObject>({ type: 'object', description: 'Given back with the result.' })),
})
export type TaskInFile = Static<typeof TaskInFile>

export const ParallelFile = strict({
  tasks: Type.Array(TaskInFile, { maxItems: MAX_TASKS }),
  max_parallel: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TASKS })),
  fail_fast: Type.Optional(Type.Boolean()),
  output_dir: outputDir,
  dry_run: Type.Optional(Type.Boolean()),
})
export type ParallelFile = Static<typeof ParallelFile>

export const StepInFile = strict({ ...ChainStep.properties, backend })
export type StepInFile = Static<typeof StepInFile>

export const ChainFile = strict({
  ...ChainRequest.properties,
  steps: Type.Array(StepInFile, { maxItems: MAX_STEPS }),
  output_dir: outputDir,
})
export type ChainFile = Static<typeof ChainFile>
