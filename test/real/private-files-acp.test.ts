/** Which agents that speak ACP keep out of the files of drover under a ceiling, whatever the model asks for. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../support/start-server.ts'
import { until } from '../support/until.ts'
import { commandOf, createAcpSetup, startableAcp } from './acp-agents.ts'
import type { AgentSetup } from './agent-setup.ts'
import { processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()
const CANARY = 'text-of-another-caller'

describe.each(startableAcp)('a file of drover that the model of the real $name asks for', (agent) => {
  const { name, profile } = agent
  let setup: AgentSetup
  let server: TestServer

  afterEach(async () => {
    await server.context.drover.warm?.close()
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  /** Whether the model gets the file, in a process for each prompt or in one that stays up. */
  async function getsIt(mode: string, isWarm: boolean): Promise<boolean> {
    setup = createAcpSetup(agent, upstream.port())
    const config = {
      warm: { enabled: isWarm, spare_after: 1 },
      backends: { [name]: { protocol: 'acp', command: commandOf(agent) } },
    }
    server = await startServer({ agents: 'none', env: setup.env('plain'), server: { max_sandbox_mode: mode }, config })
    const file = join(server.home, 'canary')
    writeFileSync(file, `${CANARY}\n`)
    const heardBefore = upstream.received().length
    for (const scenario of ['look', 'cat']) {
      const body = {
        backend: name,
        prompt: `#scenario=${scenario} #path=${file}`,
        workdir: setup.work,
        sandbox_mode: mode,
        timeout_secs: 100,
      }
      const answer = await server.request('/api/v1/prompt', { method: 'POST', body })
      expect(answer.status, answer.text).toBe(200)
      if (isWarm && scenario === 'look')
        await until(() => server.context.drover.warm?.list().some(({ state }) => state === 'idle') === true)
    }
    return upstream.received().slice(heardBefore).includes(CANARY)
  }

  it('is read without a ceiling, so the attack works', async () => {
    expect(await getsIt('full', false)).toBe(true)
  })

  const modes = ['read-only', 'workspace']
  const ways = modes.flatMap((mode) => [
    { mode, isWarm: false },
    { mode, isWarm: true },
  ])
  const isKept = profile.staysInside === true

  it.each(ways)(`${isKept ? 'is not read' : 'can be read'} under the ceiling $mode, warm $isWarm`, async (way) => {
    const gets = await getsIt(way.mode, way.isWarm)
    // Another version, or another tool of the same agent, may do more than this one.
    if (isKept) expect(gets).toBe(false)
  })
})
