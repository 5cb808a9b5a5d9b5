/** `drover drive ID --restore`: puts refs, settings and hooks back that changed while agents ran. */
import { describeChange } from '../../drive/evidence/repository-flags.ts'
import { openDriveJournal } from '../../drive/record/drive-journal.ts'
import { toDriveState } from '../../drive/record/drive-state.ts'
import { changesToRestore, type RestoredChange, restoreRepository } from '../../drive/restore-repository.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { asOwner, refuseOwnRun } from '../../runs/run-worktree.ts'
import type { Invocation } from '../command.ts'
import { EXIT } from '../exit-status.ts'
import { toPrintable } from '../output/printable.ts'
import { askPerson, canAsk, isYes } from '../run/ask-person.ts'
import { restoreNotConfirmed } from './faults.ts'

export async function restoreRun(invocation: Invocation, runs: RunContext, runId: string): Promise<number> {
  const { flags, runtime } = invocation
  const { out } = runtime.terminal
  refuseOwnRun(runs, runId)
  using journal = await openDriveJournal(runs.store, runId)
  const changes = changesToRestore(toDriveState(journal.events) ?? { attempts: [] })
  if (changes.length === 0) {
    await out.write(
      'No ref, setting or hook changed while agents ran, or all of them are restored. Nothing was changed.\n',
    )
    return EXIT.success
  }
  if (!flags.isOn('yes') && !(await confirm(invocation, runs, changes.map(describeChange)))) {
    await out.write('Nothing was changed.\n')
    return EXIT.changeFailure
  }
  const done = await restoreRepository({ runs: asOwner(runs, runId), runId, journal, onUpdate: () => {} })
  await out.write(`${done.map(describeRestored).join('\n')}\nFiles were not touched.\n`)
  return done.every(({ problem }) => problem === undefined) ? EXIT.success : EXIT.changeFailure
}

/** Throws `restore_not_confirmed` if no one can be asked. */
async function confirm({ runtime }: Invocation, { signal }: RunContext, lines: readonly string[]): Promise<boolean> {
  if (!canAsk(runtime)) throw restoreNotConfirmed({ count: lines.length })
  const list = lines.map((line) => `  ${toPrintable(line)}\n`).join('')
  await runtime.terminal.err.write(
    `These changed while agents ran. You may have made some of the changes yourself:\n${list}`,
  )
  const answer = await askPerson(runtime, { question: 'Put all of them back? [y/N] ', signal })
  return isYes(answer)
}

function describeRestored({ change, problem }: RestoredChange): string {
  const text = toPrintable(describeChange(change))
  return problem === undefined ? `restored: ${text}` : `left: ${text}: ${toPrintable(problem)}`
}
