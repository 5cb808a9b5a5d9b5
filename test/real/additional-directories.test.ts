/** Real agents tell their model of the directories in which they work besides their working directory. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { Command, MODES } from './modes.ts'
import { installed, processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()

let setup: AgentSetup
let command: Command | undefined

afterEach(async () => {
  await command?.end()
  command = undefined
  await until(() => processesIn(setup).length === 0)
  setup.remove()
})

describe.each(installed.flatMap((agent) => MODES.map((mode) => ({ ...agent, mode }))))(
  'the real $backend, $mode',
  ({ backend, path, mode }) => {
    it('works in additional directories, and again in a resumed session', async () => {
      setup = createAgentSetup(backend, path, upstream.port())
      command = new Command(mode, setup)
      const sdk = join(setup.home, 'sdk')
      mkdirSync(sdk)
      const before = upstream.received().length
      const ask = ['-b', backend, '-m', MODELS[backend], '--access', 'workspace', '-o', 'json']
      const { code, stdout, stderr } = await command.run('plain', ['prompt', 'hello', ...ask, '--add-dir', '../sdk'])
      expect([code, stderr]).toEqual([0, ''])
      expect(JSON.parse(stdout)).toMatchObject({ output: 'Hello from the fake model.', exit_code: 0 })
      expect(upstream.received().slice(before)).toContain(sdk)
      const after = upstream.received().length
      const { session_id: id } = JSON.parse(stdout)
      const next = await command.run('plain', ['resume', id, 'and now?', '-o', 'json'])
      expect([next.code, JSON.parse(next.stdout).output]).toEqual([0, 'Hello from the fake model.'])
      expect(upstream.received().slice(after)).toContain(sdk)
    })
  },
)
