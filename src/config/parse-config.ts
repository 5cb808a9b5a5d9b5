/** Reads the text of a config file: a YAML document with a mapping at its top, or nothing at all. */
import { type Document, isAlias, isMap, isNode, isScalar, isSeq } from 'yaml'
import { parseYaml, toTree } from '../kit/read-yaml.ts'
import type { ConfigProblem } from './faults.ts'
import type { Layer } from './layers.ts'
import type { Origin } from './origin.ts'
import { isTree, pickSettings } from './pick-settings.ts'
import { pathUnder } from './setting-keys.ts'

/** With problems, `layer` holds the settings that can be used all the same. */
export type ParsedConfig = { document: Document; layer: Layer; problems: ConfigProblem[] }

/** Turns an offset in the text into file, line and column. */
type OriginOf = (offset: number) => Origin

export function parseConfig({ text, file }: { text: string; file: string }): ParsedConfig {
  const { document, problems, placeOf } = parseYaml(text)
  const originOf: OriginOf = (offset) => ({ from: 'file', file, ...placeOf(offset) })
  if (problems.length === 0) return { document, ...readTree(document, originOf) }
  return { document, ...unusable(...problems.map(({ rule, offset }) => ({ key: '', rule, origin: originOf(offset) }))) }
}

function readTree(document: Document, originOf: OriginOf): { layer: Layer; problems: ConfigProblem[] } {
  const { origins, firstAlias } = findOrigins(document.contents, originOf)
  const top = originOf(document.contents?.range?.[0] ?? 0)
  const { tree, rule } = toTree(document)
  if (rule !== undefined) return unusable({ key: '', rule, origin: firstAlias ?? top })
  if (tree === null) return unusable()
  if (!isTree(tree)) return unusable({ key: '', rule: 'the file must contain keys and their values', origin: top })
  const { values, problems } = pickSettings(tree)
  const located = problems.map(({ path, rule }) => ({ key: path, rule, origin: origins.get(path) ?? top }))
  return { layer: { values, origins }, problems: located }
}

function unusable(...problems: ConfigProblem[]): { layer: Layer; problems: ConfigProblem[] } {
  return { layer: { values: new Map(), origins: new Map() }, problems }
}

/** The origin of every key and list item by its path, and that of the first alias. */
function findOrigins(root: unknown, originOf: OriginOf): { origins: Map<string, Origin>; firstAlias?: Origin } {
  const origins = new Map<string, Origin>()
  const aliases: Origin[] = []
  const visit = (node: unknown, path: string) => {
    if (isAlias(node)) aliases.push(originOf(nodeStart(node)))
    for (const child of listChildren(node, path)) {
      origins.set(child.path, originOf(nodeStart(child.at)))
      visit(child.node, child.path)
    }
  }
  visit(root, '')
  return aliases[0] === undefined ? { origins } : { origins, firstAlias: aliases[0] }
}

function listChildren(node: unknown, path: string): { path: string; at: unknown; node: unknown }[] {
  if (isSeq(node)) return node.items.map((item, index) => ({ path: `${path}[${index}]`, at: item, node: item }))
  if (!isMap(node)) return []
  return node.items.map(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : ''
    return { path: pathUnder(path, name), at: key, node: value }
  })
}

/** Every node of a parsed document has a range, although its type makes it optional. */
function nodeStart(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}
