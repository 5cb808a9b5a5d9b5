/** Agents that tamper with the records of the run that they work on. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, HONEST } from '../support/driven-home.ts'

const GOAL = 'Show the wind in knots'

/** A command of the agent: the records of its run are `$f`. */
const onRecords = (command: string) => `f=$(echo "$RUNS"/*/drive.jsonl); ${command}`

describe('an agent that', () => {
  it.each([
    ['replaces the records of its run', 'replaced', 'sed s/23/24/ "$f" > "$f.new" && mv "$f.new" "$f"'],
    ['shortens the records of its run', 'shortened', 'head -n 1 "$f" > "$f.new" && cat "$f.new" > "$f"'],
  ])('%s: the run is over, and what drover recorded is kept', async (_, word, command) => {
    const driving = createDriving()
    const runs = onRecords(command).replace('$RUNS', driving.runs)
    driving.rewrite({ implement: [{ ...HONEST, runs: [runs] }] })
    const { code, stdout, stderr } = await driving.drive(GOAL, '--no-review')
    expect(code).toBe(3)
    const id = /Run ([0-9a-f-]{36})/.exec(stdout)?.[1] ?? ''
    expect(stderr).toContain(`the records of the run ${id} were tampered with, so the run is over`)
    expect(stderr).toContain(`drive.jsonl was ${word}`)
    const kept = readFileSync(join(driving.runs, id, 'drive.kept.jsonl'), 'utf8')
    const records = kept
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(dataOf(records, 'attempt_started')).toHaveLength(2)
    expect(dataOf(records, 'paused')).toMatchObject([{ reason: 'tampered' }])
    const shown = await driving.call(['status', id])
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining(`drive.jsonl was ${word}`)])
    const again = await driving.drive(id)
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('start a new run')])
    expect(driving.calls()).toHaveLength(2)
  })
})
