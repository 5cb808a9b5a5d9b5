/** Reads and checks the files of `drover parallel` and `drover chain`. */
import { Fault } from '../../kit/fault.ts'
import { textNotUtf8 } from '../../kit/faults.ts'
import { omitEmpty } from '../../kit/omit-empty.ts'
import { findProblems, type Problem, type Validate } from '../../kit/schema.ts'
import type { Invocation } from '../command.ts'
import { flagsConflict, type TaskProblem, taskFileInvalid, taskFileUnreadable, tasksMissing } from '../faults.ts'
import { readInput } from '../read-input.ts'
import type { ChainFile, ParallelFile } from './task-file.shape.ts'
import {
  looksLikeJson,
  parseTaskText,
  TASK_TEXT_LIMIT_BYTES,
  type TaskText,
  type TaskTree,
  withoutByteOrderMark,
} from './task-text.ts'

export type CheckedFile<File> = {
  content: File
  /** Makes the fault for problems that are found later. A path looks like `$.tasks[2]`. */
  refuse(problems: readonly Problem[]): Error
}

export async function readParallelFile(invocation: Invocation): Promise<CheckedFile<ParallelFile>> {
  const { validateParallelFile } = await import('./checks.generated.js')
  return checkTasks(await readTree(invocation, 'tasks'), { noun: 'tasks', validate: validateParallelFile })
}

export async function readChainFile(invocation: Invocation): Promise<CheckedFile<ChainFile>> {
  const { validateChainFile } = await import('./checks.generated.js')
  return checkTasks(await readTree(invocation, 'steps'), { noun: 'steps', validate: validateChainFile })
}

type Noun = 'tasks' | 'steps'

async function readTree(invocation: Invocation, noun: Noun): Promise<TaskTree> {
  try {
    return parseTaskText(await readText(invocation, noun))
  } catch (error) {
    const isUnreadable = error instanceof Fault && error.code === textNotUtf8.code
    throw isUnreadable ? taskFileUnreadable({ problem: error.message }, error) : error
  }
}

async function readText({ flags, runtime }: Invocation, noun: Noun): Promise<TaskText> {
  const [file, input] = [flags.text('file'), flags.text('input')]
  if (file !== undefined && input !== undefined) throw flagsConflict({ flags: ['--file', '--input'] })
  const named = file ?? input
  if (named === undefined && !runtime.stdin.isPiped()) throw tasksMissing({ noun, source: undefined })
  const path = named === '-' ? undefined : named
  const bytes = withoutByteOrderMark(
    await readInput({
      runtime,
      file: path,
      limitBytes: TASK_TEXT_LIMIT_BYTES,
      links: 'follow',
      unavailable: taskFileUnreadable,
    }),
  )
  if (path === undefined) return { source: 'standard input', bytes, isJson: looksLikeJson(bytes) }
  return { source: path, bytes, isJson: /\.json$/i.test(path) }
}

/** A file that is only a list is the list of tasks or steps. */
export function checkTasks<File>(
  { source, tree, placeOf }: TaskTree,
  { noun, validate }: { noun: Noun; validate: Validate },
): CheckedFile<File> {
  const isBare = Array.isArray(tree)
  const content = omitEmpty(isBare ? { [noun]: tree } : tree, validate.optional)
  if (hasNone(content, noun)) throw tasksMissing({ noun, source })
  const refuse = (problems: readonly Problem[]) => {
    const located = problems.map(({ path, rule }): TaskProblem => {
      const location = isBare ? path.replace(`$.${noun}`, '$') : path
      return { path: location, rule, ...placeOf(location) }
    })
    return taskFileInvalid({ source, problems: located.sort(byPlace) })
  }
  const problems = findProblems(validate, content)
  if (problems.length > 0) throw refuse(problems)
  return { content: content as File, refuse }
}

/** If other fields are present, the name of the list may be misspelled; then the validator reports more. */
function hasNone(content: unknown, noun: Noun): boolean {
  if (content === undefined || content === null) return true
  if (typeof content !== 'object') return false
  const list = (content as Record<string, unknown>)[noun]
  return list === null || (Array.isArray(list) ? list.length === 0 : Object.keys(content).length === 0)
}

function byPlace(one: TaskProblem, other: TaskProblem): number {
  return (one.line ?? 0) - (other.line ?? 0) || (one.column ?? 0) - (other.column ?? 0)
}
