import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OTHER_VARIABLES } from '../../src/config/read-config.ts'
import { CONFIG_KEYS } from '../../src/config/setting-keys.ts'
import { ROOT } from '../support/npm.ts'
import { run, temporaryDirectory } from '../support/run-drover.ts'

const unit = readFileSync(join(ROOT, 'deploy', 'drover.service'), 'utf8')
const valuesOf = (name: string) => [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value)

/** The longest that docs/reliability.md allows a server to take. */
const ENDING_SECS = 38

const hasAnalyzer = spawnSync('systemd-analyze', ['--version']).status === 0

describe('deploy/drover.service', () => {
  it('runs as its own user that cannot become another', () => {
    expect([valuesOf('User'), valuesOf('NoNewPrivileges')]).toEqual([['drover'], ['yes']])
  })

  it('gives the server enough time to stop, and ends agents only after it', () => {
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(ENDING_SECS)
    expect(readFileSync(join(ROOT, 'docs', 'reliability.md'), 'utf8')).toContain(`up to ${ENDING_SECS} seconds`)
    expect(valuesOf('KillMode')).toEqual(['mixed'])
  })

  it('leaves /proc as it is, so that sandboxes can mount their own', () => {
    const covering = [
      'ProtectHostname',
      'ProtectKernelLogs',
      'ProtectKernelTunables',
      'ProcSubset',
      'InaccessiblePaths',
    ]
    expect(covering.filter((name) => valuesOf(name).length > 0)).toEqual([])
  })

  it('sets only variables that drover reads', () => {
    const known = [...OTHER_VARIABLES.map(({ name }) => name), ...CONFIG_KEYS.flatMap((key) => key.variables), 'HOME']
    const set = valuesOf('Environment').map((pair) => pair?.split('=')[0] ?? '')
    expect(set.filter((name) => !known.includes(name))).toEqual([])
  })

  it.skipIf(!hasAnalyzer)('is understood by systemd, without a warning', async () => {
    const file = join(temporaryDirectory(), 'drover.service')
    writeFileSync(file, unit.replace('/usr/local/bin/drover', '/bin/true').replaceAll(/^(User|Group)=.*\n/gm, ''))
    // A user, a program or a page of the manual that is not there would be one.
    const ran = await run(['systemd-analyze', 'verify', '--man=no', file], {})
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it.skipIf(!hasAnalyzer)('gets a low exposure score from systemd', async () => {
    const file = join(ROOT, 'deploy', 'drover.service')
    const ran = await run(['systemd-analyze', 'security', '--offline=true', '--threshold=40', file], {})
    expect(ran.stdout).toContain('Overall exposure level')
    expect(ran.code).toBe(0)
  })
})
