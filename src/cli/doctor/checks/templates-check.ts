/** What setups installed and drover keeps for the next worktrees. */
import { findPaths } from '../../../config/paths.ts'
import { tryTo } from '../../../kit/fault.ts'
import { quoteWord } from '../../../kit/shell-words.ts'
import { listTemplates } from '../../../workspace/prepare/templates.ts'
import type { CheckContext } from './doctor-check.ts'
import { defineFindings, type Finding, ok } from './finding.ts'

export const TEMPLATES = defineFindings('Configuration', 'templates', {
  templates_kept: ok(
    'Setups of driven runs and comparisons left templates: copies of what they installed, for the next worktree. `drive.template_max_bytes` limits their size.',
    'to free the space, delete their directory; the next worktree runs the setup again',
  ),
})

export function checkTemplates({ configEnvironment }: Pick<CheckContext, 'configEnvironment'>): Finding[] {
  const home = findHome(configEnvironment)
  const templates = home === undefined ? [] : listTemplates(home)
  if (home === undefined || templates.length === 0) return []
  const mebibytes = templates.reduce((sum, { bytes }) => sum + bytes, 0) / 1024 ** 2
  const count = templates.length === 1 ? '1 template' : `${templates.length} templates`
  const todo = `to free the space, run rm -r ${quoteWord(home)}; the next worktree runs the setup again`
  return [TEMPLATES.templates_kept({ detail: `${home}: ${count}, ${mebibytes.toFixed(1)} MiB`, todo })]
}

/** Another check reports a home that is invalid. */
function findHome(environment: CheckContext['configEnvironment']): string | undefined {
  return tryTo(() => findPaths(environment).templates)
}
