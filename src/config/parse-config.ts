/** Reads the text of a config file: a YAML document with a mapping at its top, or nothing at all. */
import type { Document } from 'yaml'
import { parseYaml, toTree } from '../kit/read-yaml.ts'
import type { ConfigProblem } from './faults.ts'
import { indexPlaces, type OriginOf } from './index-places.ts'
import type { Layer } from './layer.ts'
import { isTree, pickSettings } from './pick-settings.ts'

export type ParsedConfig = { document: Document; layer: Layer; problems: ConfigProblem[] }

/** Parses the text of a file. Where there are problems, `layer` holds what can be used all the same. */
export function parseConfig({ text, file }: { text: string; file: string }): ParsedConfig {
  const { document, problems, placeOf } = parseYaml(text)
  const originOf: OriginOf = (offset) => ({ from: 'file', file, ...placeOf(offset) })
  if (problems.length === 0) return { document, ...readTree(document, originOf) }
  return { document, ...unusable(...problems.map(({ rule, offset }) => ({ key: '', rule, origin: originOf(offset) }))) }
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
