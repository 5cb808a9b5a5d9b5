/** Programs that people use with the compatible APIs, on real agents. The model is scripted. What works goes into docs/clients/README.md. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { portOf, type Serving, serveDrover } from '../support/serve-drover.ts'
import { until } from '../support/until.ts'
import type { AgentSetup } from './agent-setup.ts'
import { clientAgents } from './client-agents.ts'
import { noteResult, type TriedClient, whyNot } from './client-results.ts'
import { codingClients } from './coding-clients.ts'
import { nodeClients } from './node-clients.ts'
import { pythonClients, standardTests } from './python-clients.ts'
import { processesIn, useUpstream, versionOf } from './real-agents.ts'

const upstream = useUpstream()

describe.each(clientAgents(upstream.port))('on the real $agent,', ({ agent, model, path, open }) => {
  let setup: AgentSetup
  let serving: Serving
  let url: string
  const agent_version = versionOf(path)

  beforeAll(async () => {
    setup = open()
    serving = serveDrover(['--port', '0'], setup.env('client'), { end: () => {} })
    url = `http://127.0.0.1:${await portOf(serving)}`
  })

  afterAll(async () => {
    serving.child.kill('SIGTERM')
    await serving.ended
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  async function tryAll({ client, version, run }: TriedClient): Promise<void> {
    const tried = await run({ url, model })
    const date = new Date().toISOString().slice(0, 10)
    const wrong = tried.filter(({ feature, error }) => {
      const reason = whyNot({ client, agent, feature })
      const outcome = error === undefined ? 'works' : reason === undefined ? 'fails' : 'cannot'
      noteResult({ client, version, agent, agent_version, feature, outcome, date })
      // What cannot work, and works, is wrong in the table.
      return (error === undefined) === (reason !== undefined)
    })
    expect(wrong).toEqual([])
  }

  it.each([...nodeClients, ...pythonClients, ...codingClients])('$client works', tryAll, 400_000)

  it.each(standardTests)('$client passes the standard tests of LangChain', tryAll, 1_800_000)
})
