/** The public compliance cases of the Responses API, on real agents. The model is scripted. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { CASES, SKIPPED } from '../support/open-responses.ts'
import { portOf, type Serving, serveDrover } from '../support/serve-drover.ts'
import { until } from '../support/until.ts'
import type { AgentSetup } from './agent-setup.ts'
import { clientAgents } from './client-agents.ts'
import { processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()

describe.each(clientAgents(upstream.port))('on the real $agent, the compliance case', ({ model, open }) => {
  let setup: AgentSetup
  let serving: Serving
  let url: string

  beforeAll(async () => {
    setup = open()
    serving = serveDrover(['--port', '0'], setup.env('client'), { end: () => {} })
    url = `http://127.0.0.1:${await portOf(serving)}/openai/v1`
  })

  afterAll(async () => {
    serving.child.kill('SIGTERM')
    await serving.ended
    await until(() => processesIn(setup).length === 0)
    setup.remove()
  })

  const toCall = (call: object) => ({
    prompt: `#calls=${Buffer.from(JSON.stringify([[call]])).toString('base64url')}`,
  })

  it.each(CASES)(
    '$title passes',
    async ({ run }) => {
      await run({ url, model, toCall })
    },
    200_000,
  )

  it.skip.each(SKIPPED)('$title is left out: $reason', () => {})
})
