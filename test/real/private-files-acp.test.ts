/** Which agents that speak ACP keep out of the files of drover under a ceiling, whatever the model asks for. */
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'
import { commandOf, createAcpSetup, startableAcp } from './acp-agents.ts'
import type { AgentSetup } from './agent-setup.ts'
import { processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const CANARY = 'text-of-another-caller'

/** Agents that read without asking. */
const READERS = ['qwen', 'pi', 'codex-acp']

/** What the model tries: its tool and a command on a file of drover, and its tool on a link to that file. */
const WAYS = [
  ['own', 'look'],
  ['tool', 'look'],
  ['command', 'cat'],
  ['link', 'look'],
] as const

describe.each(startableAcp)(
  'a file of drover that the model of the real $name asks for',
  { timeout: 300_000 },
  (agent) => {
    const { name } = agent
    let setup: AgentSetup
    let server: TestServer

    afterEach(async () => {
      await server.context.drover.warm?.close()
      await until(() => processesIn(setup).length === 0)
      setup.remove()
    })

    /** The ways in which the model gets a file, each in a turn. */
    async function waysUnder(mode: string, isWarm = false): Promise<string[]> {
      setup = createAcpSetup(agent, upstream.port())
      const config = {
        warm: { enabled: isWarm, spare_after: 1 },
        backends: { [name]: { protocol: 'acp', command: commandOf(agent) } },
      }
      server = await startServer({
        agents: 'none',
        env: setup.env('plain'),
        server: { max_sandbox_mode: mode },
        config,
      })
      const file = join(server.home, 'canary')
      writeFileSync(file, `${CANARY}\n`)
      writeFileSync(join(setup.work, 'own'), `${CANARY}\n`)
      symlinkSync(file, join(setup.work, 'link'))
      const found: string[] = []
      for (const [way, scenario] of WAYS) {
        const path = { own: join(setup.work, 'own'), link: join(setup.work, 'link') }[way as string] ?? file
        const heardBefore = upstream.received().length
        const prompt = `#scenario=${scenario} #path=${path}`
        const body = { backend: name, prompt, workdir: setup.work, sandbox_mode: mode, timeout_secs: 100 }
        const answer = await server.request('/api/v1/prompt', { method: 'POST', body })
        expect(answer.status, answer.text).toBe(200)
        if (upstream.received().slice(heardBefore).includes(CANARY)) found.push(way)
        if (isWarm && way === 'own') await until(isUp)
      }
      return found
    }

    const isUp = () => server.context.drover.warm?.list().some(({ state }) => state === 'idle') === true

    it('is read without a ceiling, so the attack works', async () => {
      expect(await waysUnder('full')).toEqual(expect.arrayContaining(['own', 'tool', 'command']))
    })

    const cases = ['read-only', 'workspace'].flatMap((mode) => [false, true].map((isWarm) => ({ mode, isWarm })))
    const isReader = READERS.includes(name)

    // A file in the working directory is read in the same way, so the model does try.
    it.each(cases)(
      `${isReader ? 'can be read' : 'is not read'} under the ceiling $mode, warm $isWarm`,
      async (each) => {
        const found = await waysUnder(each.mode, each.isWarm)
        if (isReader) expect(found.length).toBeGreaterThan(1)
        else expect(found).toEqual(['own'])
      },
    )
  },
)
