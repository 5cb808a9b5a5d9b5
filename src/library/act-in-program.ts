/** Merges, publishes, takes or discards the work of a run for a program. */
import { actOnRun } from '../drive/act/act-on-run.ts'
import { readVerdict } from '../drive/read-verdict.ts'
import { systemClock } from '../kit/clock.ts'
import { checker } from '../kit/schema.ts'
import { userName } from '../kit/user-name.ts'
import { outlineRun } from '../runs/read-status.ts'
import { resolveRunId } from '../runs/resolve-run-id.ts'
import { openRunContext } from '../runs/run-context.ts'
import { asOwner } from '../runs/run-worktree.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { locateGit } from '../workspace/git.ts'
import { validateActRequest } from './checks.generated.js'
import type { OpenedInstance } from './instance.ts'
import { packageVersion } from './package.ts'
import type { ActRequest } from './requests.shape.ts'
import type { ActResult } from './types.ts'

const checkRequest = checker<ActRequest>('the request', validateActRequest)

export async function act(opened: OpenedInstance, given: unknown, signal: AbortSignal): Promise<ActResult> {
  const { run: id, directory, ...wanted } = checkRequest(given)
  const { config, paths, env, cwd, drover } = opened
  const git = locateGit({ env, cwd })
  const workspace = await discoverWorkspace({ start: directory ?? cwd, git, signal })
  const runs = openRunContext({ workspace, git, signal, clock: systemClock, version: packageVersion() })
  const state = await actOnRun(
    runs,
    { runId: resolveRunId(runs, id), act: wanted },
    {
      who: { via: 'program', name: userName() },
      ...{ worktrees: paths.worktrees, env, sandbox: await drover.machineSandbox() },
      templates: { home: paths.templates, maxBytes: config.drive.template_max_bytes },
      onUpdate: () => {},
    },
  )
  const run = await outlineRun(asOwner(runs, state.run_id), state.run_id)
  return { run_id: run.id, verdict: await readVerdict(runs, { run, drive: state }) }
}
