/** `drover merge`, `drover pr`, `drover take` and `drover discard`. */
import { actOnRun, type WorkAct } from '../../drive/act/act-on-run.ts'
import { describeAct } from '../../drive/decide/describe-act.ts'
import { readVerdict } from '../../drive/read-verdict.ts'
import { userName } from '../../kit/user-name.ts'
import { outlineRun } from '../../runs/read-status.ts'
import { resolveRunId, shortenKnownRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { asOwner } from '../../runs/run-worktree.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { EXIT } from '../exit-status.ts'
import { discardNotConfirmed } from '../faults.ts'
import { openDrover } from '../open/open-drover.ts'
import { describeRecord } from '../output/drive-text.ts'
import { timesFor } from '../output/format-amounts.ts'
import { toPrintable } from '../output/printable.ts'
import { formatLines } from '../output/text-table.ts'
import { followUpOfVerdict, formatFollowUp } from '../output/what-follows.ts'
import { askPerson, canAsk, isYes } from '../run/ask-person.ts'
import { openRuns } from '../run/open-runs.ts'
import { printChange, toJsonLine } from '../run/print-change.ts'
import { readRunId } from '../run/read-flags.ts'
import { findUserPaths, readSettings } from '../settings.ts'
import { withWorkspace } from '../workspace-command.ts'

export const merge: RunCommand = (invocation) => {
  const { flags } = invocation
  return actAs(invocation, { do: 'merge', into: flags.text('into'), here: flags.isOn('here') })
}

export const publish: RunCommand = (invocation) => actAs(invocation, { do: 'pull_request' })

export const take: RunCommand = (invocation) => actAs(invocation, { do: 'take' })

export const discard: RunCommand = (invocation) =>
  actAs(invocation, { do: invocation.flags.isOn('undo') ? 'undo_discard' : 'discard' })

async function actAs(invocation: Invocation, act: WorkAct): Promise<number> {
  return await withWorkspace(invocation, async (command) => {
    const { args, runtime } = invocation
    const typed = await readRunId(command, args[0], 'list-runs')
    const context = await openRuns(command, runtime)
    const runId = resolveRunId(context, typed)
    command.runId = runId
    if (act.do === 'discard' && !(await confirm(invocation, context, runId))) {
      await runtime.terminal.out.write('Nothing was changed.\n')
      return EXIT.changeFailure
    }
    return await perform(invocation, context, { runId, act })
  })
}

type Wanted = { runId: string; act: WorkAct }

async function perform(invocation: Invocation, context: RunContext, wanted: Wanted): Promise<number> {
  const { flags, runtime } = invocation
  const { out } = runtime.terminal
  const { config } = await readSettings(invocation)
  const { worktrees, templates } = findUserPaths(invocation)
  await using drover = openDrover(invocation, { config, isDemo: false })
  const state = await actOnRun(context, wanted, {
    who: { via: 'terminal', name: userName() },
    ...{ worktrees, env: runtime.env, sandbox: await drover.machineSandbox() },
    templates: { home: templates, maxBytes: config.drive.template_max_bytes },
    onUpdate: (update) => {
      const isShown = update.is === 'recorded' && update.event.type === 'merge_checked' && !flags.isOn('json')
      if (!isShown) return
      void runtime.terminal.err.write(`${formatLines(describeRecord(update.event, update.state), out).join('\n')}\n`)
    },
  })
  const done = state.acts.at(-1)
  const run = await outlineRun(asOwner(context, state.run_id), state.run_id)
  const name = flags.isOn('json') || !out.isTty ? run.id : shortenKnownRunId(context, run.id)
  const verdict = await readVerdict(context, { run, drive: state, name })
  const json = () => toJsonLine({ run_id: run.id, verdict, ...(done !== undefined && { done }) })
  const times = timesFor(out, () => runtime.clock.now())
  const isBack = done?.type === 'discard_undone' && verdict.word === 'waits for you'
  const lines = [
    ...(done === undefined ? [] : [describeAct(done)]),
    ...(done === undefined || isBack ? [verdict.line] : []),
  ]
  const said = times(lines.join('\n'))
  const text = () => `${toPrintable(said)}\n\nNext:\n${formatFollowUp(followUpOfVerdict(verdict), out).join('\n')}\n`
  await printChange(out, flags.isOn('json') ? json() : text())
  return EXIT.success
}

/** Throws `discard_not_confirmed` if no one can be asked. */
async function confirm({ flags, runtime }: Invocation, { signal }: RunContext, runId: string): Promise<boolean> {
  if (flags.isOn('yes')) return true
  if (!canAsk(runtime) || flags.isOn('json')) throw discardNotConfirmed({ run_id: runId })
  const question = `Remove the worktree and the branch of ${runId}? The work is kept for 7 days. [y/N] `
  return isYes(await askPerson(runtime, { question, signal }))
}
