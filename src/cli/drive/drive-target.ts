/** What `drover drive` is about: a run that exists, an issue, or a goal. */
import { driveNothingToFollow, issueWithoutRepository } from '../../drive/faults.ts'
import { readDrive } from '../../drive/record/drive-journal.ts'
import { findOrigin } from '../../drive/start/read-issue.ts'
import type { DriveTarget } from '../../drive/start/start-drive.ts'
import { locateGh } from '../../forge/gh.ts'
import { GitHub } from '../../forge/github-forge.ts'
import type { SearchPlaces } from '../../kit/process/find-program.ts'
import { goalFileRequired } from '../../runs/faults.ts'
import { outlineRuns } from '../../runs/read-status.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { decodeGoal, GOAL_INPUT } from '../../runs/text-inputs.ts'
import { chooseWaitingRun } from '../../runs/waiting-run.ts'
import { findIssueUrl } from '../../source/issue-address.ts'
import type { Invocation } from '../command.ts'
import { readInput } from '../read-input.ts'
import { driveTargetMissing, noLabeledIssues, tooManyIssues } from './faults.ts'

/** What a word names. The address of a pull request stands for the run that has delivered it. */
export type NamedTarget = DriveTarget | { readonly is: 'pull_request'; readonly url: string }

const PULL_REQUEST = /^(https:\/\/[^/\s]+\/[\w.-]+\/[\w.-]+\/pull\/[1-9]\d*)(?:[/?#]\S*)?$/
const LIKE_RUN_ID = /^[0-9a-f]{4,}[0-9a-f-]*$/
/** Each of them gets a worktree. */
const MOST_ISSUES = 100
const OWN_ISSUE = /^#([1-9][0-9]{0,9})$/

/** The text of a file is a goal, whatever it looks like. A shell makes several words of `--goal-file goals/*.md`. */
export async function readTargets({ args, flags, runtime }: Invocation): Promise<NamedTarget[]> {
  const files = flags.texts('goal-file')
  if (files.length === 0) return args.map(parseTarget)
  const targets: DriveTarget[] = []
  for (const file of [...files, ...args]) {
    if (file === '') throw goalFileRequired({})
    targets.push({ is: 'goal', goal: decodeGoal(await readInput({ ...GOAL_INPUT, file, runtime })) })
  }
  return targets
}

/** The open issues with this label, oldest first. */
export async function findLabeled(label: string, context: RunContext, places: SearchPlaces): Promise<DriveTarget[]> {
  const origin = await findOrigin(context)
  if (origin === undefined) throw issueWithoutRepository({ issue: '--label' })
  const gh = locateGh(places)
  const repository = { host: gh.host, ...origin }
  const forge = new GitHub({ repository, gh, signal: context.signal, patienceMs: gh.timeoutMs })
  const found = await forge.issuesWith(label)
  if (found.length === 0) throw noLabeledIssues({ label })
  if (found.length > MOST_ISSUES) throw tooManyIssues({ label, count: found.length, limit: MOST_ISSUES })
  return found.map(({ number }) => ({ is: 'own_issue', number }))
}

/** The run that has delivered a pull request. */
export async function findByPullRequest(target: NamedTarget, context: RunContext): Promise<DriveTarget> {
  if (target.is !== 'pull_request') return target
  const { runs } = await outlineRuns(context)
  const found = runs.find(({ id }) => readDrive(context.store, id)?.delivered?.pull_request === target.url)
  if (found === undefined) throw driveNothingToFollow({ problem: `no run here has delivered ${target.url}` })
  return { is: 'run', id: found.id }
}

/** The only run that has not ended. */
export async function findOpenRun(context: RunContext): Promise<DriveTarget> {
  const list = await outlineRuns(context)
  if (list.runs.every(({ state }) => state === 'ended')) throw driveTargetMissing({})
  const { run } = await chooseWaitingRun(context, list, 'drive')
  return { is: 'run', id: run.id }
}

/** Pure. A word of hexadecimal digits is the id of a run, so that a typo never becomes a goal. */
function parseTarget(text: string): NamedTarget {
  const trimmed = text.trim()
  if (trimmed === '') throw driveTargetMissing({})
  const number = OWN_ISSUE.exec(trimmed)?.[1]
  if (number !== undefined) return { is: 'own_issue', number: Number(number) }
  const pullRequest = PULL_REQUEST.exec(trimmed)?.[1]
  if (pullRequest !== undefined) return { is: 'pull_request', url: pullRequest }
  const url = /\s/.test(trimmed) ? undefined : findIssueUrl(trimmed)
  if (url !== undefined) return { is: 'issue', url }
  return LIKE_RUN_ID.test(trimmed) ? { is: 'run', id: trimmed } : { is: 'goal', goal: text }
}
