import { existsSync } from 'node:fs'
import { homeInUse } from '../../store/faults.ts'
import { countOwners } from '../../store/inspect-store.ts'
import { toOwnersDirectory } from '../../store/owners.ts'
import { locateGit } from '../../workspace/git.ts'
import { listWorktrees } from '../../workspace/worktree-records.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { listenForInterruption } from '../interruption.ts'
import { stopBackground } from '../local/background-server.ts'
import { askStatus } from '../local/local-server.ts'
import { openCommandStores } from '../open/open-command-stores.ts'
import { printResult } from '../output/print-result.ts'
import { askPerson, canAsk } from '../run/ask-person.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { removeOne } from '../worktrees/remove-worktree-command.ts'
import { findLeftovers, type Looking } from './find-leftovers.ts'
import { formatReset, type ResetReport } from './reset-text.ts'
import { type JudgedWorktree, judgeWorktrees } from './worktrees-to-remove.ts'

const EXIT_DECLINED = 1

export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  using interruption = listenForInterruption()
  const { signal } = interruption
  const looking = { runtime, git: locateGit(runtime), signal, paths: findUserPaths(invocation) }
  const isAsked = !flags.isOn('yes') && !flags.isOn('json') && canAsk(runtime)
  const isDryRun = flags.isOn('dry-run') || !(flags.isOn('yes') || isAsked)
  if (isDryRun || isAsked) {
    const plan = await planReset(invocation, looking)
    if (isDryRun) return await printResult(invocation, plan, () => formatReset(plan))
    await runtime.terminal.out.write(formatReset(plan))
    const answer = await askPerson(runtime, { question: 'Do this? [y/N] ', signal })
    if (!/^y(?:es)?$/i.test(answer)) {
      await runtime.terminal.out.write('Nothing was changed.\n')
      return EXIT_DECLINED
    }
  }
  const report = await reset(invocation, looking)
  return await printResult(invocation, report, () => formatReset(report))
}

async function planReset(invocation: Invocation, looking: Looking): Promise<ResetReport> {
  const status = await askStatus(invocation)
  const judged = await judgeWorktrees(looking)
  const removed = judged.filter(({ reason }) => reason === undefined).map(({ worktree }) => worktree)
  const leftovers = await findLeftovers(looking, { worktrees: judged.map(({ worktree }) => worktree), removed })
  const server = status === undefined ? null : { pid: status.pid, is_background: status.is_background }
  return { dry_run: true, server, removed: removed.map(({ name }) => ({ name })), kept: toKept(judged), ...leftovers }
}

/** The server first, because it may start agents in worktrees. */
async function reset(invocation: Invocation, looking: Looking): Promise<ResetReport> {
  const { git, signal, paths } = looking
  const { config } = await readSettings(invocation)
  const stopped = await stopBackground(invocation)
  if ((await countOwners(toOwnersDirectory(paths.sessions))).alive > 0) throw homeInUse({ path: paths.sessions })
  // Ends the agents that a killed process left.
  if (existsSync(paths.sessions)) await (await openCommandStores(invocation, config)).sessions.close()
  const before = listWorktrees(paths.worktrees)
  const judged = await judgeWorktrees(looking)
  const removed: ResetReport['removed'][number][] = []
  const kept = toKept(judged)
  for (const { worktree, reason } of judged) {
    if (reason !== undefined) continue
    const result = await removeOne(worktree, { git, signal, isForced: false })
    if ('reason' in result) kept.push({ ...result, command: removalOf(result.name) })
    else removed.push(result)
  }
  const leftovers = await findLeftovers(looking, { worktrees: before, removed: [] })
  const server = stopped === undefined ? null : { pid: stopped, is_background: true }
  return { dry_run: false, server, removed, kept, ...leftovers }
}

function toKept(judged: readonly JudgedWorktree[]): ResetReport['kept'][number][] {
  return judged.flatMap(({ worktree: { name, path }, reason }) =>
    reason === undefined ? [] : [{ name, path, reason, command: removalOf(name) }],
  )
}

function removalOf(name: string): string {
  return `drover worktrees remove ${name} --discard`
}
