/**
 * Reads YAML that people write: one YAML 1.2 document of plain values, or an empty text. Other features of YAML (tags,
 * several documents, keys that are not text, aliases that multiply) are refused.
 */
import { type Document, LineCounter, parseDocument, type YAMLError } from 'yaml'

/** Lines and columns count from 1. */
export type TextPlace = { line: number; column: number }

type YamlProblem = { rule: string; offset: number }

export type YamlText = {
  document: Document
  /** Empty if the document can be used. */
  problems: YamlProblem[]
  placeOf(offset: number): TextPlace
}

/** How many aliases may be expanded, counting those inside expanded ones. */
const ALIAS_LIMIT = 100

export function parseYaml(text: string): YamlText {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: 'core',
    resolveKnownTags: false,
    stringKeys: true,
  })
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const problems = [...document.errors, ...document.warnings].map(toProblem)
  return { document, problems: oncePerLine(problems, placeOf), placeOf }
}

/** The document as a plain value, or the reason why its aliases cannot be expanded. */
export function toTree(document: Document): { tree?: unknown; rule?: string } {
  try {
    return { tree: document.toJS({ maxAliasCount: ALIAS_LIMIT }) }
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error
    const isLost = error.message.startsWith('Unresolved')
    return { rule: isLost ? 'an alias (*) has no anchor (&) before it' : `aliases (*) multiply beyond ${ALIAS_LIMIT}` }
  }
}

const MESSAGES: Partial<Record<YAMLError['code'], string>> = {
  DUPLICATE_KEY: 'the same key appears twice; remove one',
  MULTIPLE_DOCS: 'a second document starts here; the file must contain one',
  NON_STRING_KEY: 'a key must be text',
  RESOURCE_EXHAUSTION: 'the file is nested too deeply',
  TAB_AS_INDENT: 'a tab cannot indent; use spaces',
  TAG_RESOLVE_FAILED: 'tags (!) are not supported; write a plain value',
}

function toProblem(error: YAMLError): YamlProblem {
  const rule = MESSAGES[error.code] ?? `the file is not valid YAML: ${error.message}`
  return { rule, offset: error.pos[0] }
}

/** One open bracket can cause the same error a thousand times. */
function oncePerLine(problems: readonly YamlProblem[], placeOf: YamlText['placeOf']): YamlProblem[] {
  const keyOf = ({ rule, offset }: YamlProblem) => `${placeOf(offset).line} ${rule}`
  return [...new Map(problems.map((problem) => [keyOf(problem), problem])).values()]
}
