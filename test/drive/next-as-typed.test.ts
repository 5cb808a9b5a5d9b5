/** The commands at the end of a drive work as they are printed. */
import { expect, it } from 'vitest'
import { splitCommand } from '../../src/kit/shell-words.ts'
import { createDriving } from '../support/driven-agents.ts'
import { type DrivenScript, HONEST, runIdIn } from '../support/driven-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'

const GOAL = 'Show the wind in knots'
const pause = { reason: 'decision_required', question: 'Knots or km/h?', destructive_request: null }
const LIE = { outcome: { implementation: { result: 'applied', ...claims(['none.txt']) } } }

function claims(files: readonly string[]) {
  return { files_changed: files, activities: [], uncertainties: [], attempts: 1 }
}

const ROWS: [string, DrivenScript, string[], number, number][] = [
  ['a question', { orient: [{ outcome: { status: 'needs_input', pause, suggested_actions: [] } }, {}] }, [], 4, 2],
  ['a check that fails', { implement: [HONEST] }, ['--check', 'false', '--baseline', 'skip', '--rounds', '0'], 3, 1],
  ['a contradiction', { implement: [LIE, LIE, HONEST] }, [], 4, 2],
  ['a limit', { orient: [{ usage: { input: 950, output: 50 } }, {}] }, ['--max-tokens', '1000'], 4, 1],
]

it.each(firstOf(ROWS))('after %s', async (_name, script, words, code, count) => {
  const driving = createDriving(script)
  const ran = await driving.drive(GOAL, '--no-review', ...words)
  expect(ran).toMatchObject({ code, stderr: '' })
  const next = ran.stdout.slice(ran.stdout.indexOf('\nNext:\n') + 7)
  const lines = Array.from(next.matchAll(/^ {2}drover (.*?)(?: {2}|$)/gm), ([, line = '']) => line)
  expect(lines).toHaveLength(count)
  for (const line of lines) {
    const split = splitCommand(line)
    const typed = await driving.call('words' in split ? split.words : [])
    expect([line, typed]).toEqual([line, expect.objectContaining({ code: 0, stderr: '' })])
  }
})

it.runIf(IS_FULL)('stops a run from the checkout of the user, and says how it continues', async () => {
  const driving = createDriving({ orient: [{ outcome: { status: 'needs_input', pause, suggested_actions: [] } }, {}] })
  const id = runIdIn((await driving.drive(GOAL, '--no-review')).stdout)
  const stopped = await driving.call(['stop', id.slice(0, 8)])
  expect(stopped).toMatchObject({ code: 0, stderr: '' })
  expect(stopped.stdout).toMatch(
    new RegExp(`^Run ${id} is stopped\\. .*\\nNext:\\n {2}continue\\n {4}drover drive ${id}\\n$`),
  )
  expect(await driving.call(['stop', id, '--json'])).toMatchObject({ code: 0, stderr: '' })
  expect((await driving.call(['status', id])).stdout).toContain(`\n    drover drive ${id}\n`)
  expect(await driving.call(['drive', id])).toMatchObject({ code: 0, stderr: '' })
  expect(await driving.call(['stop', id])).toMatchObject({ code: 3, stderr: expect.stringContaining('ended') })
})

it('lets a person answer an agent that lacks something, and the agent gets the answer', async () => {
  const lacking = { ...pause, reason: 'environment_unavailable', question: 'Where is the sensor?' }
  const driving = createDriving({
    orient: [{ outcome: { status: 'needs_input', pause: lacking, suggested_actions: [] } }, {}],
  })
  const ran = await driving.drive(GOAL, '--no-review')
  const id = runIdIn(ran.stdout)
  expect(ran).toMatchObject({ code: 4, stdout: expect.stringContaining('| Where is the sensor?') })
  expect((await driving.call(['status'])).stdout).toContain(`it lacks, "Where is the sensor?": drover drive ${id}`)
  expect(await driving.call(['answer', id])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('not for an answer'),
  })
  expect(await driving.call(['answer', id, 'There is none. Leave it.'])).toMatchObject({
    ...{ code: 0, stderr: '', stdout: expect.stringContaining(`drover drive ${id.slice(0, 8)}`) },
  })
  const before = driving.calls().length
  expect(await driving.call(['drive', id])).toMatchObject({ code: 0, stderr: '' })
  const said = driving.calls().map(({ prompt }) => prompt.includes('There is none. Leave it.'))
  expect(said.indexOf(true)).toBe(before)
  expect(said.filter(Boolean)).toHaveLength(1)
})
