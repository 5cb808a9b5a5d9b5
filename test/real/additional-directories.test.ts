/** Real agents tell their model of the directories in which they work besides their working directory. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { startServer } from '../support/start-server.ts'
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

describe.each(installed)('the real $backend under the ceiling workspace', ({ backend, path }) => {
  it('edits files in an additional directory, and in no other', async () => {
    setup = createAgentSetup(backend, path, upstream.port())
    // Codex may write to the directory for temporary files.
    const outside = mkdtempSync('/var/tmp/drover-real-')
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
    const [added, other] = [join(outside, 'added'), join(outside, 'other')]
    for (const each of [added, other]) mkdirSync(each)
    const config = { warm: { enabled: false }, backends: { [backend]: { command: path } } }
    const ceilings = { max_sandbox_mode: 'workspace', max_approval_mode: 'auto' }
    const server = await startServer({ agents: 'none', env: setup.env('newfile'), server: ceilings, config })
    const write = async (directory: string) => {
      const file = join(directory, 'made.txt')
      const first = { backend, model: MODELS[backend], workdir: setup.work, prompt: `#path=${file}` }
      const body = { ...first, additional_directories: [added], approval_mode: 'auto', sandbox_mode: 'workspace' }
      const { status, text } = await server.request('/api/v1/prompt', { method: 'POST', body })
      expect([status, text]).toEqual([200, text])
      return existsSync(file)
    }
    expect([await write(added), await write(other)]).toEqual([true, false])
  })
})
