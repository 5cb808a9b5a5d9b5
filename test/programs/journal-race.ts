/**
 * Submits outcomes for the current action, in competition with other processes, until it has won the given number of times:
 * `<git common dir> <name> <times>`. Prints one line for each attempt.
 */
import { writeSync } from 'node:fs'
import { gitObservation } from '../../scripts/protocol-examples.ts'
import { submit } from '../../src/engine/operations/submit.ts'
import { readRun } from '../../src/journal/read-run.ts'
import { openRunStore } from '../../src/journal/run-store.ts'
import { updateRun } from '../../src/journal/update-run.ts'
import { digest } from '../../src/kit/digest.ts'
import { Fault } from '../../src/kit/fault.ts'

const [gitCommonDir = '', name = '', times] = process.argv.slice(2)
const store = openRunStore({ gitCommonDir, version: '1.0.0', lockWaitMs: 60_000 })

const plain = { observations: [], known_issues: [], pause: null, implementation: null, review: null }

for (let won = 0; won < Number(times); ) {
  const { action_id, kind: action_kind } = await readRun(store, 'run-1', ({ current_action }) => {
    if (current_action === undefined) throw new Error('the run has no current action')
    return current_action
  })
  const suggested_actions = [{ kind: 'clarify' as const, brief: 'Ask once more.' }]
  const outcome = { ...plain, contract_version: 2 as const, action_id, action_kind, status: 'completed' as const }
  const report = { ...outcome, summary: `${name} ${won}`, suggested_actions } as Parameters<typeof submit>[1]['outcome']
  const request = { actionId: action_id, outcome: report, payloadSha256: digest(JSON.stringify(report)) }
  const facts = { now: new Date().toISOString(), actionId: crypto.randomUUID() }
  try {
    await updateRun(store, 'run-1', async (run) => {
      const decided = submit(run, request, { ...facts, gitFacts: { is: 'observed', git: gitObservation } })
      if (decided.is !== 'changed') throw new Error('no other process submits the same outcome')
      return { event: decided.event, result: undefined }
    })
    won += 1
    writeSync(1, `won ${action_id}\n`)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    writeSync(1, `${error.code}\n`)
  }
}
