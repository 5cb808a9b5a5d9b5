import type { ProjectFile } from '../../config/projects/project.shape.ts'
import { findProject, readProjectFile, saveProject } from '../../config/projects/projects.ts'
import { parseCheck } from '../../kit/process/run-check.ts'
import { lookForSetup, type Proposal } from '../../workspace/prepare/ecosystems.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict, projectFileMissing, setupNotFound } from '../faults.ts'
import { printResult } from '../output/print-result.ts'
import { readPreparation } from '../read-preparation.ts'
import { askPerson, canAsk, isYes } from '../run/ask-person.ts'
import { findUserPaths } from '../settings.ts'
import { withWorkspace } from '../workspace-command.ts'
import { describeFound, projectLines } from './choose-project.ts'

const QUESTION = 'Prepare and check new worktrees of this repository like this? [y/n] '
const SAVED = 'Saved for this repository: drover drive and drover compare --worktrees use it.\n'
const NOT_SAVED = 'Nothing was saved. drover init --yes saves it.\n'

export const init: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const given = readGiven(invocation)
    const { workspace, git, signal } = await command.findWorkspace()
    const { worktree_root: root, git_common_dir: repository } = workspace
    const { projects: home } = findUserPaths(invocation)
    const proposal = await lookForSetup({ root, git, signal })
    if (proposal === undefined && given === undefined) throw setupNotFound({ root })
    const project = given ?? toProject(proposal)
    const { flags, runtime } = invocation
    const asks = given === undefined && !flags.isOn('yes') && !flags.isOn('json') && canAsk(runtime)
    const lines = [...(proposal === undefined ? [] : [describeFound(proposal)]), ...projectLines(project), '']
    if (asks) await runtime.terminal.err.write(lines.join('\n'))
    const isWanted = asks
      ? isYes(await askPerson(runtime, { question: QUESTION, signal }))
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
  const { setup = [], copy = [], share = [], checks = [] } = proposal ?? {}
  return { setup: [...setup], copy: [...copy], share: [...share], checks: [...checks] }
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

const TRUST_QUESTION = 'These commands run with your rights. Trust the file as it is? [y/n] '

export const trust: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { workspace, signal } = await command.findWorkspace()
    const { worktree_root: root, git_common_dir: repository } = workspace
    const { projects: home } = findUserPaths(invocation)
    const file = readProjectFile(root)
    if (file === undefined) throw projectFileMissing({ root })
    const { flags, runtime } = invocation
    const asks = !flags.isOn('yes') && !flags.isOn('json') && canAsk(runtime)
    const lines = `${projectLines(file.content).join('\n')}\n`
    if (asks) await runtime.terminal.err.write(lines)
    const isWanted = asks ? isYes(await askPerson(runtime, { question: TRUST_QUESTION, signal })) : flags.isOn('yes')
    if (isWanted) saveProject(home, { repository, from: 'file', file_digest: file.digest, ...file.content })
    const isTrusted = isWanted || findProject({ home, repository })?.file_digest === file.digest
    return await printResult(invocation, { ...file.content, is_trusted: isTrusted }, () => {
      const end = isTrusted
        ? 'Trusted: drover drive and drover compare --worktrees use it until it changes.\n'
        : 'Not trusted, so it is not used. drover trust --yes trusts it.\n'
      return `${asks ? '' : lines}${end}`
    })
  })
