/** Asks git for the checked-out commit and the changed paths in one call. */
import { gitFailed } from './faults.ts'
import { askGitForOutput, type Git, NOT_INTO_SUBMODULES } from './git.ts'
import { type ChangedPath, parseStatus } from './parse-status.ts'

export type WorktreeStatus = {
  /** A commit, or `unborn`. */
  head: string
  /** What git printed about paths. */
  output: Buffer
  changed: readonly ChangedPath[]
}

const FORMAT = ['--porcelain=v2', '-z', '--branch', '--no-ahead-behind'] as const
const STATUS = ['status', ...FORMAT, '--untracked-files=all', NOT_INTO_SUBMODULES] as const

export async function askStatus(git: Git, around: { directory: string; signal: AbortSignal }): Promise<WorktreeStatus> {
  const all = await askGitForOutput(git, { ...around, args: STATUS })
  const { head, end } = readHeaders(all)
  const output = all.subarray(end)
  return { head, output, changed: parseStatus(output) }
}

/** The headers come first. One of them names the commit. */
function readHeaders(output: Buffer): { head: string; end: number } {
  let [head, end] = ['', 0]
  while (output[end] === 0x23) {
    const next = output.indexOf(0, end)
    if (next === -1) break
    const [, name, value] = output.toString('latin1', end, next).split(' ')
    if (name === 'branch.oid') head = value === '(initial)' ? 'unborn' : (value ?? '')
    end = next + 1
  }
  if (/^(?:unborn|[0-9a-f]{40}|[0-9a-f]{64})$/.test(head)) return { head, end }
  throw gitFailed({ command: 'git status', problem: `${JSON.stringify(head)} is not a commit` })
}
