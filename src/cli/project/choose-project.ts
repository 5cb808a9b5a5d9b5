/** What `drover drive` uses to prepare and check a new worktree: what was decided, or what a person decides now. */
import type { Config } from '../../config/config.shape.ts'
import type { ProjectFile, ProjectRecord } from '../../config/projects/project.shape.ts'
import {
  findProject,
  isOutdated,
  PROJECT_FILE,
  saveProject,
  tryToReadProjectFile,
} from '../../config/projects/projects.ts'
import type { GivenOptions } from '../../drive/start/drive-options.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { lookForSetup, type Proposal } from '../../workspace/prepare/ecosystems.ts'
import type { Invocation } from '../command.ts'
import { toPrintable } from '../output/printable.ts'
import { askPerson, isYes } from '../run/ask-person.ts'
import { findUserPaths } from '../settings.ts'

type Choice = { context: RunContext; given: GivenOptions; config: Config; mayAsk: boolean }

/** Undefined: the flags and the settings for all repositories say enough, or nothing was decided. */
export async function chooseProject(invocation: Invocation, choice: Choice): Promise<ProjectRecord | undefined> {
  const { context, given, config, mayAsk } = choice
  const { worktree_root: root, git_common_dir: repository } = context.workspace
  const { projects: home } = findUserPaths(invocation)
  const note = async (text: string) => void (await invocation.runtime.terminal.err.write(`drover: note: ${text}\n`))
  const project = findProject({ home, repository })
  const file = tryToReadProjectFile(root)
  if (project !== undefined && !isOutdated(project, file)) return project
  if (project !== undefined)
    await note(`${PROJECT_FILE} has changed since you trusted it, so it is not used; see "drover trust"`)
  else if (file !== undefined)
    await note(`${PROJECT_FILE} is not used, because you have not trusted it; see "drover trust"`)
  if (saysEnough(given, config)) return undefined
  const { git, signal } = context
  const proposal = await lookForSetup({ root, git, signal })
  if (proposal === undefined || file !== undefined) return undefined
  if (mayAsk) return await ask(invocation, choice, proposal)
  const text = describeMissing(given, proposal, config)
  if (text !== undefined) await note(text)
  return undefined
}

function saysEnough({ setup, share, checks }: GivenOptions, { drive }: Config): boolean {
  const isPrepared = [setup, share].some((each) => each !== undefined) || drive.setup.length + drive.share.length > 0
  return isPrepared && (checks !== undefined || drive.checks.length > 0)
}

/** An empty answer decides nothing, and the next run asks again. */
async function ask(
  invocation: Invocation,
  { context }: Choice,
  { found, ...proposal }: Proposal,
): Promise<ProjectRecord | undefined> {
  const { runtime } = invocation
  const [setup, copy] = [[...proposal.setup], [...proposal.copy]]
  const project = { setup, copy, share: [...proposal.share], checks: [...proposal.checks] }
  if (project.setup.length + project.checks.length === 0) return undefined
  const lines = [
    describeFound({ found, ...proposal }),
    'A new worktree has only what is committed.',
    ...projectLines(project),
  ]
  await runtime.terminal.err.write(`${lines.join('\n')}\n`)
  const question = 'Prepare and check new worktrees of this repository like this, from now on? [y/n, empty: not now] '
  const answer = await askPerson(runtime, { question, signal: context.signal })
  if (answer === '') return undefined
  const isWanted = isYes(answer)
  const chosen = isWanted ? project : { setup: [], copy: [], share: [], checks: [] }
  const { git_common_dir: repository } = context.workspace
  saveProject(findUserPaths(invocation).projects, { repository, from: 'user', ...chosen })
  return { version: 1, repository, from: 'user', ...chosen }
}

/** What to add to the command, in one line. Pure. */
function describeMissing(
  { setup, copy, share, checks }: GivenOptions,
  proposal: Proposal,
  { drive }: Pick<Config, 'drive'>,
): string | undefined {
  const isSet = drive.setup.length + drive.share.length > 0
  const isPrepared = setup !== undefined || share !== undefined || proposal.setup.length === 0 || isSet
  const isChecked = checks !== undefined || drive.checks.length > 0
  const flags = [
    ...(isPrepared ? [] : proposal.setup.map((command) => `--setup ${quoteWord(command)}`)),
    ...(isChecked ? [] : proposal.checks.map((command) => `--check ${quoteWord(command)}`)),
  ]
  if (flags.length === 0) return undefined
  if (copy === undefined && drive.copy.length === 0) flags.push(...proposal.copy.map((path) => `--copy ${path}`))
  const found = proposal.found.map(({ manager, file }) => `${manager} (${file})`).join(', ')
  const lack = isPrepared ? 'no check is given' : 'a new worktree has nothing installed'
  return `this project uses ${found}, and ${lack}; add ${flags.join(' ')}, or run "drover init" once`
}

export function projectLines({ setup = [], copy = [], share = [], checks = [] }: ProjectFile): string[] {
  const rows = Object.entries({ setup, copy, share, checks }).flatMap(([name, values]) =>
    values.map((value) => `  ${name.padEnd(6)}  ${toPrintable(value)}`),
  )
  return rows.length === 0 ? ['  nothing'] : rows
}

export function describeFound({ found }: Proposal): string {
  return `This project uses ${found.map(({ manager, file }) => `${manager} (${file})`).join(', ')}.`
}
