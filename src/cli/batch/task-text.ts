/**
 * Parses a file of tasks or steps. A name that ends in `.json` means JSON, any other name YAML. Standard input that begins
 * with `{` or `[` is JSON. Pure.
 */
import { isMap, isNode, isScalar, isSeq } from 'yaml'
import { Fault } from '../../kit/fault.ts'
import { jsonInvalid } from '../../kit/faults.ts'
import { decodeUtf8 } from '../../kit/files/read-file.ts'
import { readJson } from '../../kit/json/read-json.ts'
import { jsonLocation } from '../../kit/json-location.ts'
import { parseYaml, type TextPlace, toTree, type YamlText } from '../../kit/read-yaml.ts'
import { taskFileInvalid } from '../faults.ts'

export type TaskText = { source: string; bytes: Buffer; isJson: boolean }

export type TaskTree = {
  source: string
  /** Undefined or null for an empty text. */
  tree: unknown
  /** The line and column of a value, or of the nearest value around it. */
  placeOf(location: string): TextPlace | undefined
}

export const TASK_TEXT_LIMIT_BYTES = 16 * 1024 * 1024

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf])

/** Editors on Windows add one. */
export function withoutByteOrderMark(bytes: Buffer): Buffer {
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
    if (!(error instanceof Fault) || error.code !== jsonInvalid.code) throw error
    const { problem, place } = error.details as Parameters<typeof jsonInvalid>[0]
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
