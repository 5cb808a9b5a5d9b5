import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { readRun } from '../../src/journal/read-run.ts'
import { bundledProgram } from '../support/bundled-program.ts'
import { createJournalFixture, plainHistory, RUN_ID } from '../support/journal-fixture.ts'

const PROGRAM = bundledProgram('programs/journal-race')
const PROCESSES = 8
const TIMES = 4

async function race(gitCommonDir: string, name: string): Promise<{ name: string; code: number; lines: string[] }> {
  const child = spawn(process.execPath, [PROGRAM, gitCommonDir, name, String(TIMES)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { name, code, lines: said.split('\n').slice(0, -1) }
}

describe('concurrent submissions to one run', () => {
  it('have one winner per step: the others are refused, and nothing is lost', { timeout: 120_000 }, async () => {
    const { gitCommonDir, store, lines } = await createJournalFixture(plainHistory(1))
    const names = Array.from({ length: PROCESSES }, (_, index) => `process ${index}`)
    const races = await Promise.all(names.map((name) => race(gitCommonDir, name)))
    expect(races.map(({ code }) => code)).toEqual(names.map(() => 0))

    const { actions } = await readRun(store, RUN_ID, (run) => run)
    const winners = actions
      .slice(0, -1)
      .map(({ action, outcome }) => `${outcome?.summary.slice(0, -2)} won ${action.action_id}`)
    const claims = races.flatMap(({ name, lines: said }) =>
      said.filter((line) => line.startsWith('won')).map((line) => `${name} ${line}`),
    )
    expect(winners.toSorted()).toEqual(claims.toSorted())
    expect(winners).toHaveLength(PROCESSES * TIMES)
    expect(lines()).toHaveLength(PROCESSES * TIMES + 1)
    const refusals = races.flatMap(({ lines: said }) => said.filter((line) => !line.startsWith('won')))
    expect(new Set(refusals)).toEqual(new Set(['outcome_conflict']))
  })
})
