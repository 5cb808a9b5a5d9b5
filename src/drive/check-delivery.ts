/** Runs the checks once more in a clean checkout of the commit, which has none of the files that only the worktree has. */
import { dirname, join } from 'node:path'
import type { Environment } from '../kit/process/child-environment.ts'
import type { CheckResult } from '../kit/process/run-check.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { prepareWorktree } from '../workspace/prepare/prepare-worktree.ts'
import { toWorktreeEnvironment } from '../workspace/prepare/worktree-environment.ts'
import { type CleanCheckout, listUncommitted, withCleanCheckout } from '../workspace/worktrees/clean-checkout.ts'
import { choosePorts } from '../workspace/worktrees/create-worktree.ts'
import { explainDeliveryCheck, whyCheckIsSkipped } from './decide/delivery-check.ts'
import { commandRunner } from './drive-boundary.ts'
import { type Checking, type DriveContext, readDriveState, record } from './drive-context.ts'
import { toPreparation } from './prepare-work.ts'
import type { WorktreePlace } from './record/drive-event.shape.ts'
import type { DeliveryCheck } from './record/drive-state.ts'
import { OUTPUT_LIMIT_BYTES, testsIn, toEnd } from './run-checks.ts'

type Delivered = { readonly commit: string; readonly tree_id: string }

/** Records the result, once for each commit. If it is interrupted, the next driver begins it again. */
export async function checkDelivery(context: DriveContext, place: WorktreePlace, work: Delivered): Promise<void> {
  const state = readDriveState(context)
  const { commit } = work
  if (state.options.checks.length === 0 || state.delivery_check?.commit === commit) return
  const reason = whyCheckIsSkipped(state, work)
  if (reason !== undefined) {
    return record(context, 'delivery_checked', { commit, result: 'skipped', reason, checks: [], duration_ms: 0 })
  }
  const startedAt = performance.now()
  const checked = await checkOutAndCheck(context, place, commit)
  if (checked === undefined) return
  record(context, 'delivery_checked', { commit, ...checked, duration_ms: Math.round(performance.now() - startedAt) })
}

type Checked = Pick<DeliveryCheck, 'result' | 'reason' | 'setup_failed' | 'checks'>

/** Checks a commit in a clean checkout. Undefined if it was interrupted. */
export async function checkOutAndCheck(
  context: Checking,
  place: WorktreePlace,
  commit: string,
): Promise<Checked | undefined> {
  const { git, signal, workspace } = context.runs
  const worktree = { path: place.root, git_common_dir: workspace.git_common_dir }
  try {
    return await withCleanCheckout({ git, worktree, commit, signal }, async (checkout) => {
      const ran = await runIn(context, place, checkout)
      signal.throwIfAborted()
      const isPassed = ran.setup_failed === undefined && ran.checks.every(({ passed }) => passed)
      if (isPassed) return { ...ran, result: 'passed' }
      const missing = await listMissing(context, place, checkout)
      return { ...ran, result: 'failed', reason: explainDeliveryCheck(ran, missing) }
    })
  } catch (error) {
    if (signal.aborted) return undefined
    throw error
  }
}

async function runIn(
  context: Checking,
  place: WorktreePlace,
  { root, git }: CleanCheckout,
): Promise<Pick<Checked, 'setup_failed' | 'checks'>> {
  const { options } = readDriveState(context)
  const { clock, ids, signal, workspace } = context.runs
  const port = await choosePorts(dirname(dirname(place.root)), ids)
  const env = toWorktreeEnvironment(context.env, { ...place, root, port })
  const checkout = await discoverWorkspace({ start: root, git, signal })
  const runCommand = commandRunner(context, { by: 'clean_checkout', checkout })
  const end = await prepareWorktree({
    preparation: toPreparation(options),
    ...{ root, userTree: place.repository, repository: workspace.git_common_dir },
    ...{ git, env, clock, signal, runCommand },
    // What the work has made of the setup must not be used in other worktrees.
    templates: { ...context.templates, isReadOnly: true },
    onStep: () => {},
  })
  if (end.is === 'failed') return { setup_failed: { command: end.setup.command, ...toEnd(end.setup) }, checks: [] }
  return { checks: await runChecks(options, { cwd: join(root, place.folder ?? ''), env, signal, runCommand }) }
}

type Around = {
  readonly cwd: string
  readonly env: Environment
  readonly signal: AbortSignal
  readonly runCommand: ReturnType<typeof commandRunner>
}

async function runChecks(
  { checks, check_timeout_ms: timeoutMs }: { checks: readonly string[]; check_timeout_ms: number },
  { runCommand, ...around }: Around,
): Promise<DeliveryCheck['checks']> {
  const results: CheckResult[] = []
  for (const command of checks) {
    results.push(await runCommand({ command, timeoutMs, outputLimitBytes: OUTPUT_LIMIT_BYTES, ...around }))
    around.signal.throwIfAborted()
  }
  return results.map((result) => {
    const { command, passed } = result
    return { command, passed, ...toEnd(result), ...testsIn(result) }
  })
}

/** What the worktree has, and the checkout has not. */
async function listMissing(
  { runs: { git, signal } }: Checking,
  { root }: WorktreePlace,
  checkout: CleanCheckout,
): Promise<string[]> {
  const there = new Set(await listUncommitted(checkout.git, { directory: checkout.root, signal }))
  return (await listUncommitted(git, { directory: root, signal })).filter((path) => !there.has(path))
}
