import { findProblems } from '../kit/schema.ts'
import type { ConfigProblem } from './faults.ts'
import { type Layer, nest, originAt } from './layer.ts'
import { brokenTextRules } from './rules.ts'
import { findPlainKeys } from './unsupported-keys.ts'

/** Every rule that the values of one source break, each with its place there. */
export async function checkLayer(layer: Layer): Promise<ConfigProblem[]> {
  if (layer.values.size === 0) return []
  const { validateConfigFile } = await import('./checks.generated.js')
  const misfits = findProblems(validateConfigFile, nest(layer.values)).map(({ path, rule }) => ({
    path: path.replace(/^\$\.?/, ''),
    rule,
  }))
  const broken = [...findPlainKeys(layer.values.get('server.keys')), ...misfits, ...brokenTextRules(layer.values)]
  const firstAt = broken.filter(({ path }, index) => broken.findIndex((other) => other.path === path) === index)
  return firstAt.map(({ path, rule }) => ({ key: path, rule, origin: originAt(layer, path) }))
}
