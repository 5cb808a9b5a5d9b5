import { isAlias, isMap, isNode, isScalar, isSeq } from 'yaml'
import { placeUnder } from './keys.ts'
import type { Origin } from './origin.ts'

/** Turns an offset in the text into lines and columns. */
export type OriginOf = (offset: number) => Origin

/** Where each key and each list item of a parsed document stands, by its place, and where the first alias does. */
export function indexPlaces(root: unknown, originOf: OriginOf): { places: Map<string, Origin>; firstAlias?: Origin } {
  const places = new Map<string, Origin>()
  const aliases: Origin[] = []
  const visit = (node: unknown, place: string) => {
    if (isAlias(node)) aliases.push(originOf(offsetOf(node)))
    for (const part of partsOf(node, place)) {
      places.set(part.place, originOf(offsetOf(part.at)))
      visit(part.node, part.place)
    }
  }
  visit(root, '')
  return aliases[0] === undefined ? { places } : { places, firstAlias: aliases[0] }
}

type Part = { place: string; at: unknown; node: unknown }

function partsOf(node: unknown, place: string): Part[] {
  if (isSeq(node)) return node.items.map((item, index) => ({ place: `${place}[${index}]`, at: item, node: item }))
  if (!isMap(node)) return []
  return node.items.map(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : ''
    return { place: placeUnder(place, name), at: key, node: value }
  })
}

/** Every node of a parsed document has a range; its type only says that it may. */
function offsetOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0
}
