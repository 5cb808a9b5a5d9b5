/** A driven run says by name which tests its work has added, fixed, broken, skipped and removed. */

import { describe, expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'

const GOAL = 'Show the wind in knots'
const CHECK = `${process.execPath} --test dates.check.mjs`

/** A file of tests: `+` passes, `-` fails, `?` is skipped. */
const testsOf = (...tests: readonly string[]) =>
  [
    "import { test } from 'node:test'",
    ...tests.map((each) => {
      const options = each.startsWith('?') ? '{ skip: true }' : '{}'
      const body = each.startsWith('-') ? "throw new Error('wrong')" : ''
      return `test(${JSON.stringify(each.slice(1))}, ${options}, () => { ${body} })`
    }),
    '',
  ].join('\n')

const BEFORE = testsOf('+parses dates', '-shows knots', '+old format', '+asks the network', '-leap years', '-hours')
const AFTER = testsOf('-parses dates', '+shows knots', '?asks the network', '+parses times', '-hours')

describe('tests that an agent changes', () => {
  it.runIf(IS_FULL)(
    'are named in the output, the report and the evidence, in every round',
    { timeout: 120_000 },
    async () => {
      const implement = [{ edits: { 'dates.check.mjs': AFTER } }, HONEST]
      const driving = createDriving({ implement }, { config: 'drive:\n  attempts: 0\n' })
      driving.repository.write('dates.check.mjs', BEFORE)
      driving.repository.commit()
      const ran = await driving.drive(GOAL, '--check', CHECK, '--no-review', '--rounds', '1')
      expect(ran).toMatchObject({ code: 3, stderr: '' })
      expect(ran.stdout).toContain(
        [
          '    broke: parses dates',
          '    removed, was failing: leap years',
          '    removed: old format',
          '    newly skipped: asks the network',
          '    still failing: hours',
          '    fixed: shows knots',
          '    added: parses times',
          '',
        ].join('\n'),
      )
      expect(ran.stdout).toContain('Tests, compared with those before the work:\n  broke: parses dates\n')
      const records = driving.records(runIdIn(ran.stdout))
      expect(dataOf(records, 'baseline_ran')).toMatchObject([{ tests: { runner: 'node', listed: 'all' } }])
      expect(dataOf(records, 'evidence')[0]?.flags.map(({ flag, detail }) => `${flag} ${detail}`)).toEqual(
        expect.arrayContaining([
          `failing_tests_removed leap years (in ${CHECK})`,
          `tests_removed old format (in ${CHECK})`,
          `tests_skipped asks the network (in ${CHECK})`,
        ]),
      )
      const [{ next_run_id: next = '' } = {}] = dataOf(records, 'round_started')
      for (const id of [runIdIn(ran.stdout), next]) {
        const { stdout } = await driving.call(['report', id])
        expect(stdout).toContain('broke: parses dates')
        expect(stdout).toContain('fixed: shows knots')
      }
      const { checks } = JSON.parse((await driving.call(['report', next, '--json'])).stdout)
      expect(checks[0].tests).toContainEqual({
        ...{ change: 'broken', count: 1, names: ['parses dates'], is_setback: true, text: 'broke: parses dates' },
      })
    },
  )
})
