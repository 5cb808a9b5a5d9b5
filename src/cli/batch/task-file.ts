/** Reads and checks the files of `drover parallel` and `drover chain`. */
import { resolve } from 'node:path'
import { isMap, isNode, isScalar, isSeq } from 'yaml'
import type { Config } from '../../config/config.shape.ts'
import { Fault, isFault } from '../../kit/fault.ts'
import { jsonInvalid, textNotUtf8 } from '../../kit/faults.ts'
import { decodeUtf8 } from '../../kit/files/read-file.ts'
import { readJson } from '../../kit/json/read-json.ts'
import { jsonLocation } from '../../kit/json-value.ts'
import { parseYaml, type TextPlace, toTree, type YamlText } from '../../kit/read-yaml.ts'
import { findProblems, omitEmpty, type Problem, type Validate } from '../../kit/schema.ts'
import { preparePrompt } from '../../prompts/prepare-prompt.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { PromptBody } from '../../prompts/prompt-request.shape.ts'
import { toStatelessRequest } from '../../prompts/run-batch.ts'
import type { Invocation } from '../command.ts'
import { flagsConflict, type TaskProblem, taskFileInvalid, taskFileUnreadable, tasksMissing } from '../faults.ts'
import { requestFromFlags } from '../prompt/prompt-flags.ts'
import { readInput } from '../read-input.ts'
import type { ChainFile, ParallelFile } from './task-file.shape.ts'

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

/** More than people write as tasks; a prompt may be much longer, and takes long to parse. */
const LOOKS_LIMIT = 1024 * 1024

/** Whether all of a text is a valid file of `drover parallel`. */
export async function isParallelFile(text: string): Promise<boolean> {
  if (text.length > LOOKS_LIMIT || !/\bprompt["']?\s*:/.test(text)) return false
  const bytes = Buffer.from(text)
  const { validateParallelFile } = await import('./checks.generated.js')
  try {
    const tree = parseTaskText({ source: '', bytes, isJson: looksLikeJson(bytes) })
    checkTasks(tree, { noun: 'tasks', validate: validateParallelFile })
    return true
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return false
  }
}

type Noun = 'tasks' | 'steps'

async function readTree(invocation: Invocation, noun: Noun): Promise<TaskTree> {
  try {
    return parseTaskText(await readText(invocation, noun))
  } catch (error) {
    const isUnreadable = isFault(error, textNotUtf8)
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

type TaskText = { source: string; bytes: Buffer; isJson: boolean }

type TaskTree = {
  source: string
  /** Undefined or null for an empty text. */
  tree: unknown
  /** The line and column of a value, or of the nearest value around it. */
  placeOf(location: string): TextPlace | undefined
}

const TASK_TEXT_LIMIT_BYTES = 16 * 1024 * 1024

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** Editors on Windows add one. */
function withoutByteOrderMark(bytes: Buffer): Buffer {
  const isMarked = bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  return isMarked ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes
}

export function looksLikeJson(bytes: Buffer): boolean {
  return /^\s*[[{]/.test(bytes.subarray(0, 1024).toString())
}

export function parseTaskText({ source, bytes, isJson }: TaskText): TaskTree {
  const text = decodeUtf8({ bytes, source })
  if (text.trim() === '') return { source, tree: undefined, placeOf: () => undefined }
  if (isJson) {
    checkJson(source, bytes)
    // JSON is also YAML, and the YAML parser reports positions.
    return { source, tree: JSON.parse(text), placeOf: createLocator(() => parseYaml(text)) }
  }
  const yaml = parseYaml(text)
  const { tree, rule } = yaml.problems.length === 0 ? toTree(yaml.document) : { rule: '' }
  if (rule !== undefined) throw unusable(source, yaml, rule)
  return { source, tree, placeOf: createLocator(() => yaml) }
}

function checkJson(source: string, bytes: Buffer): void {
  try {
    readJson(bytes, { input: source, limitBytes: TASK_TEXT_LIMIT_BYTES, numbers: 'any' })
  } catch (error) {
    if (!isFault(error, jsonInvalid)) throw error
    const { problem, place } = error.details
    const where = place && { line: place.line, column: place.column }
    const rule = `the file is not valid JSON: ${problem}`
    throw taskFileInvalid({ source, problems: [{ path: '', rule, ...where }] }, error)
  }
}

function unusable(source: string, { problems, placeOf }: YamlText, rule: string) {
  const located = problems.map(({ rule, offset }) => ({ path: '', rule, ...placeOf(offset) }))
  return taskFileInvalid({ source, problems: located.length > 0 ? located : [{ path: '', rule }] })
}

/** Parses positions only when the first problem needs one. */
function createLocator(parse: () => YamlText): TaskTree['placeOf'] {
  let known: { offsets: Map<string, number>; placeOf: YamlText['placeOf'] } | undefined
  return (location) => {
    if (known === undefined) {
      const { document, placeOf } = parse()
      known = { offsets: listOffsets(document.contents), placeOf }
    }
    for (let at = location; at !== ''; at = parentLocation(at)) {
      const offset = known.offsets.get(at)
      if (offset !== undefined) return known.placeOf(offset)
    }
    return undefined
  }
}

/** `$.tasks[2].prompt` is in `$.tasks[2]`, which is in `$.tasks`. */
function parentLocation(location: string): string {
  return location.replace(/(\.[A-Za-z0-9_]+|\["(?:[^"\\]|\\.)*"\]|\[\d+\]|\$)$/, '')
}

function listOffsets(root: unknown): Map<string, number> {
  const offsets = new Map([['$', nodeOffset(root)]])
  const visit = (node: unknown, path: readonly (string | number)[]) => {
    for (const { step, at, node: part } of listParts(node)) {
      offsets.set(jsonLocation([...path, step]), nodeOffset(at))
      visit(part, [...path, step])
    }
  }
  visit(root, [])
  return offsets
}

/** A member has the position of its key. */
function listParts(node: unknown): { step: string | number; at: unknown; node: unknown }[] {
  if (isSeq(node)) return node.items.map((item, step) => ({ step, at: item, node: item }))
  if (!isMap(node)) return []
  return node.items.map(({ key, value }) => ({ step: isScalar(key) ? String(key.value) : '', at: key, node: value }))
}

function nodeOffset(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}

/**
 * Turns the tasks of a file into prompt requests: flags and settings fill in what a task leaves out. Returns a function that
 * fills in a task. Its directory is relative to the working directory.
 */
export function createTaskFiller(invocation: Invocation, config: Config) {
  const { dry_run: _, ...asked } = requestFromFlags(invocation)
  const backend = invocation.flags.text('backend') ?? config.default_backend
  return <Task extends { backend?: string; workdir?: string }>(task: Task): Task & { backend: string } => ({
    ...asked,
    ...task,
    backend: task.backend ?? backend,
    ...(task.workdir !== undefined && { workdir: resolve(invocation.runtime.cwd, task.workdir) }),
  })
}

type Check = {
  /** The location of the list in the file. */
  list: '$.tasks' | '$.steps'
  isDryRun: boolean
  /** A fault with this code fails the task when it runs; the other tasks still run. */
  tolerates?: string
  refuse: CheckedFile<unknown>['refuse']
}

/** Reports all problems of all tasks before the first task starts and costs money. */
export function checkRunnable(requests: readonly PromptBody[], context: PromptContext, check: Check): void {
  const { list, isDryRun, tolerates, refuse } = check
  const wrong = requests.flatMap((request, at) => {
    try {
      preparePrompt(toStatelessRequest(request, isDryRun), context)
      return []
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      return error.code === tolerates ? [] : [{ path: `${list}[${at}]`, rule: `cannot be run: ${error.message}` }]
    }
  })
  if (wrong.length > 0) throw refuse(wrong)
}
