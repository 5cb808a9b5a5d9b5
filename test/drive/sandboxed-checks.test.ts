/** Checks and setups of a driven run are inside of a boundary, and the report says what they reached and were refused. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, runIdIn } from '../support/driven-home.ts'
import { skipWithoutSandbox } from '../support/sandbox.ts'

const GOAL = 'Show the wind in knots'
const NO_ROUNDS = ['--no-review', '--rounds', '0']

describe('a driven run in a sandbox', () => {
  beforeEach(skipWithoutSandbox)

  it('runs the setup and every check inside, and reports what they were refused', async () => {
    const driving = createDriving({}, { sandbox: 'on' })
    const outside = join(driving.scratch, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'canary'), 'canary')
    const attack = (name: string) =>
      `cat ${outside}/canary; echo ${name} > ${outside}/${name}; echo x > /etc/${name}; curl -s https://${name}.invalid; true`
    driving.repository.write('setup.sh', attack('setup'))
    driving.repository.write('attack.sh', attack('check'))
    driving.repository.commit()
    const check = "sh -c 'sh attack.sh; sh check.sh'"
    const ran = await driving.drive(GOAL, '--setup', 'sh setup.sh', '--check', check, ...NO_ROUNDS)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain('In a sandbox: checks and setups\n')
    expect(ran.stdout).toContain('the sandbox refused the setup a connection to setup.invalid:443: not listed\n')
    const runId = runIdIn(ran.stdout)
    const seen = dataOf(driving.records(runId), 'boundary_seen')
    expect(new Set(seen.map(({ by }) => by))).toEqual(new Set(['setup', 'baseline', 'check', 'clean_checkout']))
    expect(existsSync(join(outside, 'setup'))).toBe(false)
    expect(existsSync(join(outside, 'check'))).toBe(false)
    expect(existsSync('/etc/check')).toBe(false)
    expect(readFileSync(join(outside, 'canary'), 'utf8')).toBe('canary')
    expect(JSON.stringify(driving.records(runId))).not.toContain('"output":"canary')
    const report = await driving.call(['report', runId])
    expect(report.stdout).toContain('## Boundary\n\nEnforced by bubblewrap.')
    expect(report.stdout).toContain('check.invalid')
    const { boundary } = JSON.parse((await driving.call(['report', runId, '--json'])).stdout)
    expect(boundary).toMatchObject({
      enforced_by: 'bubblewrap',
      refused: [
        { host: 'setup.invalid:443', reason: 'not listed', count: 2, by: ['setup', 'clean_checkout'] },
        { host: 'check.invalid:443', reason: 'not listed', count: 3, by: ['baseline', 'check', 'clean_checkout'] },
      ],
    })
    const status = JSON.parse((await driving.call(['status', runId, '--json'])).stdout)
    expect(status.boundary).toEqual(boundary)
  })
})
