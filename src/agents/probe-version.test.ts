import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NOWHERE } from '../../test/support/nowhere.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { toChildEnvironment } from '../kit/process/child-environment.ts'
import { findAcpAgent } from './acp/agent.ts'
import type { AgentLocation } from './locate-agents.ts'
import { askVersion, findVersionProgram, VersionProbe } from './probe-version.ts'
import { NATIVE_AGENTS } from './registry.ts'

function agentThat(script: string): { located: AgentLocation; log: string } {
  const directory = temporaryDirectory()
  const log = join(directory, 'log')
  const program = join(directory, 'agent')
  writeFileSync(program, `#!/bin/sh\necho "$@" >> '${log}'\n${script}\n`, { mode: 0o755 })
  const { claude: agent } = NATIVE_AGENTS
  const located = {
    agent,
    backend: 'claude',
    isEnabled: true,
    program: [program] as const,
    isDemo: false,
    wanted: 'claude',
  }
  return { located, log }
}

const createProbe = () => new VersionProbe({ env: toChildEnvironment({ PATH: '/usr/bin:/bin' }) })

describe('VersionProbe', () => {
  it.each([
    ['2.1.197 (Claude Code)', '2.1.197'],
    ['codex-cli 0.166.0', '0.166.0'],
    ['0.61.0-preview.2', '0.61.0-preview.2'],
    ['no number', undefined],
  ])('finds the version in %j', async (printed, version) => {
    expect(await createProbe().ask(agentThat(`echo '${printed}'`).located)).toBe(version)
  })

  it('starts each program once, however often it is called', async () => {
    const { located, log } = agentThat('echo 1.2.3')
    const probe = createProbe()
    expect(await Promise.all([probe.ask(located), probe.ask(located)])).toEqual(['1.2.3', '1.2.3'])
    expect(await probe.ask(located)).toBe('1.2.3')
    expect(readFileSync(log, 'utf8')).toBe('--version\n')
  })

  it('starts it in its own directory, whatever the directory of drover is', async () => {
    const { located } = agentThat('pwd > place; echo 1.2.3')
    expect(await createProbe().ask(located)).toBe('1.2.3')
    const directory = dirname(located.program?.[0] ?? '')
    expect(readFileSync(join(directory, 'place'), 'utf8')).toBe(`${directory}\n`)
  })

  it('returns undefined for a program that fails, is not installed or is the demo agent', async () => {
    const { located } = agentThat('echo 1.2.3; exit 1')
    const probe = createProbe()
    expect(await probe.ask(located)).toBeUndefined()
    expect(await probe.ask({ ...located, program: undefined })).toBeUndefined()
    expect(await probe.ask({ ...located, program: [`${NOWHERE}/agent`] })).toBeUndefined()
    expect(await probe.ask({ ...located, isDemo: true })).toBeUndefined()
  })
})

describe('an agent that speaks ACP', () => {
  const agent = findAcpAgent('my-agent', { command: ['my-agent'] } as never)
  it.each([
    [['/opt/my-agent', 'acp'], ['/opt/my-agent']],
    [['/usr/bin/node', 'agent.js'], undefined],
    [['/usr/bin/python3.12', '-m', 'agent'], undefined],
    [['/opt/nodes', 'acp'], ['/opt/nodes']],
  ] as const)('%j is asked for its version as %j', (program, asked) => {
    expect(findVersionProgram({ ...agentThat('').located, agent, program })).toEqual(asked)
  })
})

describe('askVersion', () => {
  const ask = (script: string) => {
    const { program } = agentThat(script).located
    return askVersion(program ?? [''], { env: toChildEnvironment({ PATH: '/usr/bin:/bin' }) })
  }

  it.each([
    ['echo 1.2.3', { is: 'version', version: '1.2.3' }],
    ['echo 1.2.3; exit 7', { is: 'unknown', problem: 'it exited with 7' }],
    ['kill -9 $$', { is: 'unknown', problem: 'it exited with SIGKILL' }],
    ['echo hello', { is: 'unknown', problem: 'it printed no version' }],
    ['yes 1.2.3', { is: 'unknown', problem: expect.stringContaining('65536 bytes') }],
  ])('reports why there is no version: %s', async (script, answer) => {
    expect(await ask(script)).toEqual(answer)
  })

  it('reports a program that cannot be started', async () => {
    expect(await askVersion([`${NOWHERE}/agent`], { env: toChildEnvironment({}) })).toMatchObject({ is: 'unknown' })
  })
})
