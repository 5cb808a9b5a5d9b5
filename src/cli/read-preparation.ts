/** Reads the flags that say how worktrees are prepared. */
import { parseCheck } from '../kit/process/run-check.ts'
import { checkPreparationPath } from '../workspace/prepare/preparation-paths.ts'
import type { Invocation } from './command.ts'

type GivenPreparation = { setup?: string[]; copy?: string[]; share?: string[] }

/** Refuses what is wrong with them, before anything is created. What is not given comes from the settings. */
export function readPreparation(flags: Invocation['flags']): GivenPreparation {
  const given: GivenPreparation = {}
  for (const name of ['setup', 'copy', 'share'] as const) {
    const texts = flags.texts(name)
    for (const text of texts) (name === 'setup' ? parseCheck : checkPreparationPath)(text)
    if (texts.length > 0) given[name] = [...texts]
  }
  return given
}
