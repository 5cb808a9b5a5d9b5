/** Checks and setups of a driven run are inside of a boundary, and the report says what they reached and were refused. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDriving } from '../support/driven-agents.ts'
import { dataOf, HONEST, runIdIn } from '../support/driven-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { temporaryDirectory } from '../support/run-drover.ts'
import { skipWithoutSandbox } from '../support/sandbox.ts'

const GOAL = 'Show the wind in knots'
const SHORT = ['--no-review', '--rounds', '0']

describe('a driven run in a sandbox', () => {
  beforeEach(skipWithoutSandbox)

  it('names --no-sandbox for a check that cannot run only if its program is outside', async () => {
    const driving = createDriving({}, { sandbox: 'on' })
    const outside = join(temporaryDirectory(), 'outside-tool')
    writeFileSync(outside, '#!/bin/sh\n', { mode: 0o755 })
    const hidden = await driving.drive(GOAL, '--check', `sh -c ${outside}`, ...SHORT)
    expect(hidden.code).toBe(4)
    expect(hidden.stdout).toContain(`in the sandbox, there is no program ${outside}; --no-sandbox drives without one`)
    const missing = await driving.drive(GOAL, '--check', "sh -c 'gti status'", ...SHORT)
    expect(missing.stdout).toContain('cannot run: there is no program gti; did you mean git?')
    expect(missing.stdout).not.toContain('--no-sandbox')
  })

  it.runIf(IS_FULL)('runs the setup and every check inside, and reports what they were refused', async () => {
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
    const ran = await driving.drive(GOAL, '--setup', 'sh setup.sh', '--check', check, '--approval', 'auto', ...SHORT)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain('In a sandbox: checks and setups (agents are not: --approval auto)\n')
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
    expect(report.stdout).toContain('## Boundary\n\nEnforced by bubblewrap around checks and setups (agents are')
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

  it.runIf(IS_FULL)('lets an agent run any command inside by default, and reports what it was refused', async () => {
    const outside = temporaryDirectory()
    writeFileSync(join(outside, 'canary'), 'canary')
    const driving = createDriving({}, { sandbox: 'on' })
    const attack = `cat ${outside}/canary > got.txt; echo x > ${outside}/left; touch /etc/left 2>&1; curl -s https://thief.invalid; git branch other; sh check.sh`
    driving.rewrite({ implement: [{ ...HONEST, runsAfter: [attack] }] })
    const ran = await driving.drive(GOAL, '--check', 'sh check.sh', ...SHORT)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain('In a sandbox: agents, checks and setups\n')
    expect(ran.stdout).toContain('the sandbox refused the agent a connection to thief.invalid:443')
    expect(existsSync(join(outside, 'left'))).toBe(false)
    const runId = runIdIn(ran.stdout)
    const [delivered] = dataOf(driving.records(runId), 'delivered')
    expect(driving.repository.git('show', `${delivered?.branch}:got.txt`)).toBe('')
    expect(driving.repository.git('branch', '--list', 'other')).toBe('')
    const { boundary } = JSON.parse((await driving.call(['report', runId, '--json'])).stdout)
    expect(boundary).toMatchObject({
      around: 'agents, checks and setups',
      refused: [{ host: 'thief.invalid:443', by: ['agent'] }],
      unwritable: [{ path: '/etc/left', by: ['agent'] }],
    })
    const status = JSON.parse((await driving.call(['status', runId, '--json'])).stdout)
    expect(status.boundary).toEqual(boundary)
  })

  it.runIf(IS_FULL)('reports what earlier rounds were refused, with the round', async () => {
    const finding = { location: 'wind.txt:1', summary: 'Rounded', detail: '12 m/s are 23.3 knots.' }
    const found = { review: { result: 'findings_reported', findings: [finding], uncertainties: [] } }
    const attacking = { ...HONEST, runsAfter: ['touch /etc/left 2>&1; true'] }
    const implement = [attacking, { edits: { 'wind.txt': 'wind: 23.3 knots\n' } }]
    const driving = createDriving({ review: [{ outcome: found }, {}], implement }, { sandbox: 'on' })
    const ran = await driving.drive(GOAL)
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const next = dataOf(driving.records(runIdIn(ran.stdout)), 'round_started')[0]?.next_run_id ?? ''
    expect(ran.stdout).toContain('the sandbox refused /etc/left')
    const report = await driving.call(['report', next])
    expect(report.stdout).toContain('| Refused | Reason | Times | By | Round |\n')
    expect(report.stdout).toContain('| `/etc/left` | not writable, as printed |  | agent | 1 |\n')
    const { boundary } = JSON.parse((await driving.call(['status', next, '--json'])).stdout)
    expect(boundary).toMatchObject({ rounds: [1, 2], unwritable: [{ path: '/etc/left', by: ['agent'], rounds: [1] }] })
  })

  it('does not leave it if another driver has none, not even at the beginning of the next round', async () => {
    const driving = createDriving({}, { sandbox: 'on' })
    const words = [
      '--check',
      'false',
      '--baseline',
      'skip',
      '--approval',
      'auto',
      '--no-review',
      '--rounds',
      '1',
      '--deliver',
      'none',
    ]
    const first = runIdIn((await driving.drive(GOAL, ...words)).stdout)
    const next = dataOf(driving.records(first), 'round_started')[0]?.next_run_id ?? ''
    const records = join(driving.runs, next, 'drive.jsonl')
    const [started = ''] = readFileSync(records, 'utf8').split('\n')
    // As if the driver was killed here.
    writeFileSync(records, `${started}\n`)
    const bin = temporaryDirectory()
    for (const program of ['git', 'false', 'sh']) symlinkSync(`/usr/bin/${program}`, join(bin, program))
    Object.assign(driving.env, { PATH: `${join(driving.scratch, 'bin')}:${bin}` })
    const { stderr } = await driving.drive(next)
    expect(stderr).toContain('the run needs a sandbox: there is no sandbox on this machine: bwrap is not in PATH')
  })
})
