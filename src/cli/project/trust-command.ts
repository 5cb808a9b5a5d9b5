/** `drover trust`: uses the `.drover.yml` of a repository, as it is now. */
import { findProject, readProjectFile, saveProject } from '../../config/projects/projects.ts'
import type { RunCommand } from '../command.ts'
import { printResult } from '../output/print-result.ts'
import { askPerson, canAsk } from '../run/ask-person.ts'
import { findUserPaths } from '../settings.ts'
import { withWorkspace } from '../workspace-command.ts'
import { projectLines } from './describe-project.ts'
import { projectFileMissing } from './faults.ts'

const QUESTION = 'These commands run with your rights. Trust the file as it is? [y/n] '

export const run: RunCommand = (invocation) =>
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
    const isWanted = asks
      ? /^y(?:es)?$/i.test(await askPerson(runtime, { question: QUESTION, signal }))
      : flags.isOn('yes')
    if (isWanted) saveProject(home, { repository, from: 'file', file_digest: file.digest, ...file.content })
    const isTrusted = isWanted || findProject({ home, repository })?.file_digest === file.digest
    return await printResult(invocation, { ...file.content, is_trusted: isTrusted }, () => {
      const end = isTrusted
        ? 'Trusted: drover drive and drover compare --worktrees use it until it changes.\n'
        : 'Not trusted, so it is not used. drover trust --yes trusts it.\n'
      return `${asks ? '' : lines}${end}`
    })
  })
