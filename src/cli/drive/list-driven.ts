/** `drover drive --list`: the worktrees that drover created in this repository, and why each of them stays. */
import { dirname } from 'node:path'
import { toTimestamp } from '../../kit/clock.ts'
import { outlineRuns, type RunList } from '../../runs/read-status.ts'
import { shortenKnownRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { listTemplates, type Template } from '../../workspace/prepare/templates.ts'
import { type FoundWorktree, listWorktrees } from '../../workspace/worktree-records.ts'
import type { Invocation } from '../command.ts'
import { formatTableWithNotes } from '../output/text-table.ts'
import { stateInList, tryVerdict } from '../run/run-list.ts'
import { findUserPaths } from '../settings.ts'
import { describeState, readWorktreeState } from '../worktrees/worktrees-command.ts'

type Listed = {
  branch: string
  path: string
  title: string
  /** The latest run in it. */
  run_id: string | null
  /** The word of its verdict, or the state of a run that is not driven. */
  state: string | null
  /** Why it stays. */
  keeps: string
}

export async function listDriven(invocation: Invocation, context: RunContext): Promise<number> {
  const { flags, runtime } = invocation
  const { out } = runtime.terminal
  const { worktrees: home, templates: templateHome } = findUserPaths(invocation)
  const own = listWorktrees(home).filter(({ git_common_dir }) => git_common_dir === context.workspace.git_common_dir)
  const { runs } = await outlineRuns(context)
  const listed: Listed[] = []
  for (const worktree of own) {
    const run = runs.findLast((each) => each.workspace_identity.worktree_root === worktree.path)
    listed.push({
      branch: worktree.branch,
      path: worktree.path,
      title: worktree.title,
      run_id: run?.id ?? null,
      state: run === undefined ? null : ((await wordFor(run, context)) ?? run.state),
      keeps: await whyItStays(worktree, context),
    })
  }
  const templates = listTemplates(templateHome).filter(
    ({ repository }) => repository === context.workspace.git_common_dir,
  )
  if (flags.isOn('json')) {
    await out.write(`${JSON.stringify({ worktrees: listed, templates: templates.map(toReport) })}\n`)
    return 0
  }
  const kept = templates.length === 0 ? '' : `${describeTemplates(templates)}\n`
  if (listed.length === 0) {
    await out.write(`No worktrees of driven runs.\n${kept}`)
    return 0
  }
  const rows = listed.map(({ branch, run_id, state, path, keeps }) => ({
    cells: [formatRunId(run_id, context, out), state ?? '-', branch],
    note: `${keeps}: ${path}`,
  }))
  await out.write(
    `${formatTableWithNotes(['RUN', 'STATE', 'BRANCH'], rows, out).join('\n')}\n${kept}${out.isTty ? HINT : ''}`,
  )
  return 0
}

const HINT = `
"drover drive RUN" continues a run. "drover worktrees" lists the names of the
worktrees, and "drover worktrees remove NAME" removes one.
`

function toReport({ directory: path, files, bytes, setup_ms, created_at, usedAt }: Template) {
  return { path, files, bytes, setup_ms, created_at, used_at: toTimestamp(usedAt) }
}

/** What setups have installed for the next worktrees. */
function describeTemplates(templates: readonly Template[]): string {
  const bytes = templates.reduce((sum, each) => sum + each.bytes, 0)
  const count = templates.length === 1 ? '1 template' : `${templates.length} templates`
  return `${count} for new worktrees, ${(bytes / 1024 ** 2).toFixed(1)} MiB: ${dirname(templates[0]?.directory ?? '')}`
}

/** Short on a terminal, whole for programs. */
function formatRunId(runId: string | null, context: RunContext, { isTty }: { isTty: boolean }): string {
  if (runId === null) return '-'
  return isTty ? shortenKnownRunId(context, runId) : runId
}

async function wordFor(run: RunList['runs'][number], context: RunContext): Promise<string | undefined> {
  const verdict = await tryVerdict(context, run.workspace_foreign === true ? { id: run.id } : run)
  return stateInList(run.state, verdict)
}

async function whyItStays(worktree: FoundWorktree, { git, signal }: RunContext): Promise<string> {
  const state = await readWorktreeState(worktree, git, signal)
  return state === 'removable' ? 'its run has not delivered yet' : describeState(state)
}
