/** Many processes at one run: each step is taken once, and whoever comes too late is told so. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { outcomeFor } from '../support/report-outcome.ts'
import type { Ran } from '../support/run-drover.ts'
import { errorOf, readMessage, stateOf } from '../support/run-room.ts'
import { adHoc, type Scene } from '../support/run-scene.ts'

const PROCESSES = 8
const numbers = Array.from({ length: PROCESSES }, (_, at) => at)

const submission = ({ room, ids, state }: Scene, summary: string) => [
  ...['protocol', 'submit', ...ids, '--outcome-file'],
  room.file(`${summary}.json`, outcomeFor(state.action, { summary })),
]

const together = (scene: Scene, calls: readonly (readonly string[])[]): Promise<Ran[]> =>
  Promise.all(calls.map((args) => scene.room.program(args)))

/** The types of what is recorded, the first left out. */
const recorded = ({ directory }: Scene): string[] =>
  readFileSync(join(directory, 'journal.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line).type)

const isDone = ({ code }: Ran) => code === 0

describe(`${PROCESSES} processes at once`, { timeout: 120_000 }, () => {
  it('submit different outcomes, of which one counts', async () => {
    const scene = await adHoc()
    const ran = await together(
      scene,
      numbers.map((at) => submission(scene, `outcome-${at}`)),
    )
    expect(ran.filter(isDone)).toHaveLength(1)
    const errors = await Promise.all(ran.filter((each) => !isDone(each)).map(errorOf))
    expect(errors.map(({ code }) => code)).toEqual(errors.map(() => 'outcome_conflict'))
    expect(recorded(scene)).toEqual(['outcome_submitted'])
  })

  it('submit the same outcome, are answered alike, and it counts once', async () => {
    const scene = await adHoc()
    const args = submission(scene, 'same')
    const ran = await together(
      scene,
      numbers.map(() => args),
    )
    expect(new Set(ran.map(({ stdout }) => stdout)).size).toBe(1)
    expect((await Promise.all(ran.map(stateOf)))[0]).toMatchObject({ state: 'active', action: { kind: 'summarize' } })
    expect(recorded(scene)).toEqual(['outcome_submitted'])
  })

  it('submit, skip, stop and read, and nothing is lost', async () => {
    const scene = await adHoc()
    const { run_id } = scene.state
    const [stop, skip, read] = [
      ['stop', '--json', run_id],
      ['protocol', 'skip', ...scene.ids],
      ['status', run_id, '--json'],
    ]
    const calls = [submission(scene, 'a'), stop, skip, read, submission(scene, 'b'), stop, read, read]
    const ran = await together(scene, calls)
    for (const [at, each] of ran.entries()) {
      if (calls[at] === read) await readMessage('runStatus', each.stdout)
      else if (isDone(each)) await stateOf(each)
      else
        expect(['outcome_conflict', 'stale_action', 'run_not_active', 'run_not_skippable']).toContain(
          (await errorOf(each)).code,
        )
    }
    const changes = ran.filter((each, at) => calls[at] !== read && isDone(each)).length
    // Both stops are done and one of them changes nothing. What was stopped last is stopped now.
    expect(recorded(scene)).toHaveLength(changes - 1)
    expect(recorded(scene).filter((type) => type === 'run_stopped')).toHaveLength(1)
    expect((await scene.room.status(run_id)).state).toBe('stopped')
  })
})
