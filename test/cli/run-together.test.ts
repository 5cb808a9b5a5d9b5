/** Many processes work on one run: each step happens once, and the other processes get an error. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { outcomeFor } from '../support/drive-run.ts'
import { IS_FULL } from '../support/full-counts.ts'
import type { Ran } from '../support/run-drover.ts'
import { errorOf, readMessage, stateOf } from '../support/run-fixture.ts'
import { adHoc, type StartedRun } from '../support/started-run.ts'

const PROCESSES = 8
const numbers = Array.from({ length: PROCESSES }, (_, at) => at)

const submission = ({ fixture, ids, state }: StartedRun, summary: string) => [
  ...['protocol', 'submit', ...ids, '--outcome-file'],
  fixture.file(`${summary}.json`, outcomeFor(state.action, { summary })),
]

const together = (started: StartedRun, calls: readonly (readonly string[])[]): Promise<Ran[]> =>
  Promise.all(calls.map((args) => started.fixture.program(args)))

/** The types of the recorded events, without the first. */
const recorded = ({ directory }: StartedRun): string[] =>
  readFileSync(join(directory, 'journal.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line).type)

const isDone = ({ code }: Ran) => code === 0

describe(`${PROCESSES} processes at the same time`, { timeout: 120_000 }, () => {
  it.runIf(IS_FULL)('submit different outcomes, and one is recorded', async () => {
    const started = await adHoc()
    const ran = await together(
      started,
      numbers.map((at) => submission(started, `outcome-${at}`)),
    )
    expect(ran.filter(isDone)).toHaveLength(1)
    const errors = await Promise.all(ran.filter((each) => !isDone(each)).map(errorOf))
    expect(errors.map(({ code }) => code)).toEqual(errors.map(() => 'outcome_conflict'))
    expect(recorded(started)).toEqual(['outcome_submitted'])
  })

  it.runIf(IS_FULL)('submit the same outcome, get the same answer, and it is recorded once', async () => {
    const started = await adHoc()
    const args = submission(started, 'same')
    const ran = await together(
      started,
      numbers.map(() => args),
    )
    expect(new Set(ran.map(({ stdout }) => stdout)).size).toBe(1)
    expect((await Promise.all(ran.map(stateOf)))[0]).toMatchObject({ state: 'active', action: { kind: 'summarize' } })
    expect(recorded(started)).toEqual(['outcome_submitted'])
  })

  it('submit, skip, stop and read, and nothing is lost', async () => {
    const started = await adHoc()
    const { run_id } = started.state
    const [stop, skip, read] = [
      ['stop', '--json', run_id],
      ['protocol', 'skip', ...started.ids],
      ['status', run_id, '--json'],
    ]
    const calls = [submission(started, 'a'), stop, skip, read, submission(started, 'b'), stop, read, read]
    const ran = await together(started, calls)
    for (const [at, each] of ran.entries()) {
      if (calls[at] === read) await readMessage('runStatus', each.stdout)
      else if (isDone(each)) await stateOf(each)
      else
        expect(['outcome_conflict', 'stale_action', 'run_not_active', 'run_not_skippable']).toContain(
          (await errorOf(each)).code,
        )
    }
    const changes = ran.filter((each, at) => calls[at] !== read && isDone(each)).length
    // Both stops succeed, and one of them changes nothing. Nothing follows a stop, so the run is stopped.
    expect(recorded(started)).toHaveLength(changes - 1)
    expect(recorded(started).filter((type) => type === 'run_stopped')).toHaveLength(1)
    expect((await started.fixture.status(run_id)).state).toBe('stopped')
  })
})
