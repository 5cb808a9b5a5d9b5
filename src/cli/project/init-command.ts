/** `drover init`: says how worktrees of a repository are prepared and checked. */
import type { ProjectFile } from '../../config/projects/project.shape.ts'
import { findProject, saveProject } from '../../config/projects/projects.ts'
import { parseCheck } from '../../kit/process/run-check.ts'
import type { Proposal } from '../../workspace/prepare/ecosystems.ts'
import { lookForSetup } from '../../workspace/prepare/look-for-setup.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { printResult } from '../output/print-result.ts'
import { readPreparation } from '../read-preparation.ts'
import { askPerson, canAsk } from '../run/ask-person.ts'
import { findUserPaths } from '../settings.ts'
import { withWorkspace } from '../workspace-command.ts'
import { describeFound, projectLines } from './describe-project.ts'
import { setupNotFound } from './faults.ts'

const QUESTION = 'Prepare and check new worktrees of this repository like this? [y/n] '
const SAVED = 'Saved for this repository: drover drive and drover compare --worktrees use it.\n'
const NOT_SAVED = 'Nothing was saved. drover init --yes saves it.\n'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const given = readGiven(invocation)
    const { workspace, signal } = await command.findWorkspace()
    const { worktree_root: root, git_common_dir: repository } = workspace
    const { projects: home } = findUserPaths(invocation)
    const proposal = lookForSetup(root)
    if (proposal === undefined && given === undefined) throw setupNotFound({ root })
    const project = given ?? toProject(proposal)
    const { flags, runtime } = invocation
    const asks = given === undefined && !flags.isOn('yes') && !flags.isOn('json') && canAsk(runtime)
    const lines = [...(proposal === undefined ? [] : [describeFound(proposal)]), ...projectLines(project), '']
    if (asks) await runtime.terminal.err.write(lines.join('\n'))
    const isWanted = asks
      ? /^y(?:es)?$/i.test(await askPerson(runtime, { question: QUESTION, signal }))
      : given !== undefined || flags.isOn('yes')
    if (isWanted) saveProject(home, { repository, from: 'user', ...project })
    const found = proposal?.found ?? []
    const before = findProject({ home, repository })
    return await printResult(invocation, { found, ...project, is_saved: isWanted }, () => {
      const end = isWanted ? SAVED : before === undefined ? NOT_SAVED : 'Nothing was changed.\n'
      return `${asks ? '' : lines.join('\n')}${end}`
    })
  })

function toProject(proposal: Proposal | undefined): ProjectFile {
  const { setup = [], share = [], checks = [] } = proposal ?? {}
  return { setup: [...setup], share: [...share], checks: [...checks] }
}

/** Undefined if no flag says anything. */
function readGiven({ flags }: Invocation): ProjectFile | undefined {
  const checks = flags.texts('check')
  for (const command of checks) parseCheck(command)
  const given = { ...readPreparation(flags), ...(checks.length > 0 && { checks: [...checks] }) }
  const isEmpty = Object.keys(given).length === 0
  if (!flags.isOn('none')) return isEmpty ? undefined : given
  if (!isEmpty) throw flagsConflict({ flags: ['--none', `--${Object.keys(given)[0]?.replace(/s$/, '')}`] })
  return { setup: [], copy: [], share: [], checks: [] }
}
