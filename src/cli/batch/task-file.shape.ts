/** The files of `drover parallel` and `drover chain`. Flags and settings fill in what a file leaves out. */
import { type Static, Type } from 'typebox'
import type { JsonObject } from '../../kit/json-value.ts'
import { optionalList, optionalText, request, textLike } from '../../kit/shape.ts'
import { ChainRequest, ChainStep, PromptBody } from '../../prompts/prompt-request.shape.ts'

const MAX_TASKS = 1000
const MAX_STEPS = 100
const MAX_TAGS = 64

const backend = optionalText('The backend. Default: `default_backend` of the config.', { minLength: 1 })

const label = (description: string) =>
  Type.Optional(
    textLike('^[^\\u0000-\\u001f\\u007f]{1,200}$', 'text of 1 to 200 characters on one line', { description }),
  )

const outputDir = optionalText('The directory for the result files.', { minLength: 1 })

export const TaskInFile = request({
  ...PromptBody.properties,
  backend,
  id: label('Your own id of the task, returned with its result.'),
  name: label('The name of the task in tables.'),
  tags: optionalList('Returned with the result.', Type.String(), { maxItems: MAX_TAGS }),
  meta: Type.Optional(Type.Unsafe<JsonObject>({ type: 'object', description: 'Returned with the result.' })),
})
export type TaskInFile = Static<typeof TaskInFile>

export const ParallelFile = request({
  tasks: Type.Array(TaskInFile, { maxItems: MAX_TASKS }),
  max_parallel: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TASKS })),
  fail_fast: Type.Optional(Type.Boolean()),
  output_dir: outputDir,
  dry_run: Type.Optional(Type.Boolean()),
})
export type ParallelFile = Static<typeof ParallelFile>

export const StepInFile = request({ ...ChainStep.properties, backend })
export type StepInFile = Static<typeof StepInFile>

export const ChainFile = request({
  ...ChainRequest.properties,
  steps: Type.Array(StepInFile, { maxItems: MAX_STEPS }),
  output_dir: outputDir,
})
export type ChainFile = Static<typeof ChainFile>
