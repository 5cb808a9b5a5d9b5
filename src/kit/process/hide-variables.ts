/** Keeps agents from reading secrets of drover in the environment of its process. */
import { createRequire } from 'node:module'
import { type Environment, hiddenIn } from './child-environment.ts'

type HideVariables = (isHidden: ReturnType<typeof hiddenIn>) => string[]

/**
 * Hides what no program that drover starts may see. `program` is bin/hide-variables.cjs. Returns the names of variables that
 * other programs of this user can still read.
 */
export function hideVariables(env: Environment, program: string): readonly string[] {
  const isHidden = hiddenIn(env)
  if (!Object.entries(env).some(([name, value]) => value !== undefined && isHidden({ name, value }))) return []
  const hiding: { hideVariables: HideVariables } = createRequire(import.meta.url)(program)
  return hiding.hideVariables(isHidden)
}
