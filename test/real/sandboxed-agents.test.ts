/** What docs/agents.md says about real agents in a sandbox, in separate processes and in those that stay up. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PNG } from '../support/sample-files.ts'
import { skipWithoutSandbox } from '../support/sandbox.ts'
import { until } from '../support/until.ts'
import { warmAgents } from './modes.ts'
import { processesIn, useUpstream } from './real-agents.ts'
import { type SandboxedSetup, sandboxedAgents } from './sandboxed-setup.ts'

const upstream = useUpstream()
const HELLO = 'Hello from the fake model.'
const INSIDE = ['--sandbox', '--approval', 'sandboxed', '--timeout', '100']

describe.each(sandboxedAgents)(
  'the real $name in a sandbox',
  { timeout: 240_000 },
  ({ name, words, takesImages, create }) => {
    let setup: SandboxedSetup

    beforeEach((context) => {
      skipWithoutSandbox(context)
      setup = create(upstream.port())
    })

    afterEach(async () => {
      await until(() => processesIn(setup).length === 0)
      setup.remove()
    })

    const prompt = (scenario: string, ...more: string[]) =>
      setup.drover(scenario, ['prompt', 'say hello', ...words, ...INSIDE, ...more])

    it('runs a command without a question, reaches its model by name, and resumes its session', async () => {
      const first = JSON.parse((await prompt('tool', '-o', 'json')).stdout)
      expect(first).toMatchObject({ output: expect.stringContaining('The command printed its output.'), exit_code: 0 })
      expect(first.warnings?.filter((each: string) => each.includes('denied')) ?? []).toEqual([])
      expect(first.boundary.reached).toContainEqual(expect.objectContaining({ host: `model.test:${upstream.port()}` }))
      // Some agents put the output into JSON once more.
      expect(upstream.received()).toMatch(/tool-ran-ok\\+n/)
      const resumed = await setup.drover('plain', ['resume', first.session_id, 'the next question', '-o', 'json'])
      expect(JSON.parse(resumed.stdout)).toMatchObject({ output: HELLO, exit_code: 0 })
      const last = upstream
        .received()
        .split('\n')
        .findLast((line) => line.includes('the next question'))
      expect(last).toContain('say hello')
    })

    it('sees an image', async () => {
      writeFileSync(join(setup.work, 'shot.png'), PNG)
      const { stdout, stderr } = await prompt('image', '--image', 'shot.png')
      expect(stdout + stderr).toContain(takesImages ? 'I see the image.' : `${name} takes no images`)
    })

    it('answers in a process that stays up', async () => {
      await setup.drover('plain', ['up'])
      try {
        expect(await prompt('plain')).toMatchObject({ stdout: `${HELLO}\n`, code: 0 })
        const isIdle = async () => (await warmAgents(setup)).some(({ state }) => state === 'idle')
        // On a busy machine, some take longer to start than a test waits.
        await until(isIdle).catch(() => until(isIdle))
        expect(await prompt('plain')).toMatchObject({ stdout: `${HELLO}\n`, code: 0 })
        expect((await warmAgents(setup)).some(({ backend, turns }) => backend === name && turns > 0)).toBe(true)
      } finally {
        await setup.drover('plain', ['down'])
      }
    })

    it('is canceled in a tool, and leaves no process', async () => {
      const { code } = await prompt('tooltail', '--timeout', '25')
      expect(code).toBe(124)
      expect(processesIn(setup)).toEqual([])
    })

    it('asks its model, and writes nothing, if it may only read', async () => {
      const { stdout } = await prompt('write', '--access', 'read-only', '-o', 'json')
      const { boundary, output, warnings = [] } = JSON.parse(stdout)
      expect(boundary.reached).toContainEqual(expect.objectContaining({ host: `model.test:${upstream.port()}` }))
      // Some end their turn if a tool is denied.
      expect(output !== '' || warnings.some((each: string) => each.includes('denied'))).toBe(true)
      expect(existsSync(join(setup.work, 'written-by-tool.txt'))).toBe(false)
    })
  },
)
