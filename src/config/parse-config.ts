/**
 * Reads the text of a config file: one YAML 1.2 document with a mapping at its top, or nothing at all. What YAML has
 * beyond that (tags, several documents, keys that are not text, aliases that multiply) is refused.
 */
import { type Document, LineCounter, parseDocument, type YAMLError } from 'yaml'
import type { ConfigProblem } from './faults.ts'
import { indexPlaces, type OriginOf } from './index-places.ts'
import type { Layer } from './layer.ts'
import { lineOf } from './origin.ts'
import { isTree, pickSettings } from './pick-settings.ts'

export type ParsedConfig = { document: Document; layer: Layer; problems: ConfigProblem[] }

/** How often aliases may be followed, counting those inside what they stand for. */
const ALIAS_LIMIT = 100

/** Parses the text of a file. Where there are problems, `layer` holds what can be used all the same. */
export function parseConfig({ text, file }: { text: string; file: string }): ParsedConfig {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: 'core',
    resolveKnownTags: false,
    stringKeys: true,
  })
  const originOf: OriginOf = (offset) => {
    const { line, col } = lines.linePos(offset)
    return { from: 'file', file, line, column: col }
  }
  const complaints = [...document.errors, ...document.warnings]
  if (complaints.length === 0) return { document, ...readTree(document, originOf) }
  const problems = complaints.map((complaint) => toProblem(complaint, originOf))
  return { document, ...unusable(...oncePerLine(problems)) }
}

function readTree(document: Document, originOf: OriginOf): { layer: Layer; problems: ConfigProblem[] } {
  const { places, firstAlias } = indexPlaces(document.contents, originOf)
  const top = originOf(document.contents?.range?.[0] ?? 0)
  const { tree, rule } = toTree(document)
  if (rule !== undefined) return unusable({ key: '', rule, origin: firstAlias ?? top })
  if (tree === null) return unusable()
  if (!isTree(tree)) return unusable({ key: '', rule: 'the file must hold keys and their values', origin: top })
  const { values, problems } = pickSettings(tree)
  const located = problems.map(({ path, rule }) => ({ key: path, rule, origin: places.get(path) ?? top }))
  return { layer: { values, places }, problems: located }
}

function unusable(...problems: ConfigProblem[]): { layer: Layer; problems: ConfigProblem[] } {
  return { layer: { values: new Map(), places: new Map() }, problems }
}

/** The document as a plain value, or why its aliases cannot be followed. */
function toTree(document: Document): { tree?: unknown; rule?: string } {
  try {
    return { tree: document.toJS({ maxAliasCount: ALIAS_LIMIT }) }
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    const isLost = error.message.startsWith('Unresolved')
    return { rule: isLost ? 'an alias (*) has no anchor (&) before it' : `aliases (*) multiply beyond ${ALIAS_LIMIT}` }
  }
}

const COMPLAINTS: Partial<Record<YAMLError['code'], string>> = {
  DUPLICATE_KEY: 'the same key stands twice in one place; remove one',
  MULTIPLE_DOCS: 'a second document starts here; the file must hold one',
  NON_STRING_KEY: 'a key must be text',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply',
  TAB_AS_INDENT: 'a tab cannot indent; use spaces',
  TAG_RESOLVE_FAILED: 'tags (!) are not supported; write a plain value',
}

/** One open bracket can bring the same complaint a thousand times. */
function oncePerLine(problems: readonly ConfigProblem[]): Iterable<ConfigProblem> {
  return new Map(problems.map((problem) => [`${lineOf(problem.origin)} ${problem.rule}`, problem])).values()
}

function toProblem(complaint: YAMLError, originOf: OriginOf): ConfigProblem {
  const rule = COMPLAINTS[complaint.code] ?? `the file is not valid YAML: ${complaint.message}`
  return { key: '', rule, origin: originOf(complaint.pos[0]) }
}
