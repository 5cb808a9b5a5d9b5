import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { DROVER, runAt } from '../support/run-drover.ts'
import { PDF, PNG } from '../support/sample-files.ts'
import { until } from '../support/until.ts'
import { createAcpSetup, installedAcp } from './acp-agents.ts'
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

function writeFiles(): void {
  writeFileSync(join(setup.work, 'shot.png'), PNG)
  writeFileSync(join(setup.work, 'paper.pdf'), PDF)
}

describe.each(installed.flatMap((agent) => MODES.map((mode) => ({ ...agent, mode }))))(
  'the real $backend, $mode',
  ({ backend, path, mode }) => {
    it('passes an image to its model, and resumes a session that has one', async () => {
      setup = createAgentSetup(backend, path, upstream.port())
      command = new Command(mode, setup)
      writeFiles()
      const before = upstream.received().length
      const ask = ['-b', backend, '-m', MODELS[backend], '--image', 'shot.png', '-o', 'json']
      const { code, stdout, stderr } = await command.run('plain', ['prompt', 'what is @this?', ...ask])
      expect([code, stderr]).toEqual([0, ''])
      expect(upstream.received().slice(before)).toContain(PNG.toString('base64'))
      const { session_id: id } = JSON.parse(stdout)
      const next = await command.run('plain', ['resume', id, 'and this?', '--image', 'shot.png', '-o', 'json'])
      expect([next.code, JSON.parse(next.stdout).output]).toEqual([0, 'Hello from the fake model.'])
      expect(upstream.received().slice(before).split(PNG.toString('base64')).length).toBeGreaterThan(3)
    })

    // Most need a separate process for it.
    it.skipIf(mode === 'warm')('gets a document', async () => {
      setup = createAgentSetup(backend, path, upstream.port())
      command = new Command(mode, setup)
      writeFiles()
      const before = upstream.received().length
      const ask = ['-b', backend, '-m', MODELS[backend], '--image', 'paper.pdf']
      const { code } = await command.run('plain', ['prompt', 'what is this?', ...ask])
      expect(code).toBe(0)
      const sent = upstream.received().slice(before)
      // Codex opens it itself.
      expect(sent).toContain(backend === 'codex' ? 'attachments/1.pdf (application/pdf)' : PDF.toString('base64'))
    })
  },
)

describe.each(installedAcp)('the real $name', (agent) => {
  const drover = (args: readonly string[]) => {
    setup = createAcpSetup(agent, upstream.port())
    writeFiles()
    return runAt(
      setup.work,
      [process.execPath, DROVER, 'prompt', 'what is this?', '-b', agent.name, ...args],
      setup.env('plain'),
    )
  }

  it.skipIf(agent.profile.images === false)('passes an image to its model', async () => {
    const before = upstream.received().length
    const { code } = await drover(['--image', 'shot.png', '--timeout', '100'])
    expect(code).toBe(0)
    expect(upstream.received().slice(before)).toContain(PNG.toString('base64'))
  })

  it('gets a document as a link', async () => {
    const before = upstream.received().length
    const { code } = await drover(['--image', 'paper.pdf', '--timeout', '100'])
    expect(code).toBe(0)
    expect(upstream.received().slice(before)).toContain('attachments/1.pdf')
  })
})
