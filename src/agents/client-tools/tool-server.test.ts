import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { agentRequest } from '../../../test/support/agent-request.ts'
import { temporaryDirectory } from '../../../test/support/run-drover.ts'
import { socketPath, TOOL_SERVER } from '../adapter/tool-server-place.ts'
import { openToolServer } from './tool-server.ts'

it('tells an agent that asks for it that its call is not forgotten, until it is answered', async () => {
  const request = agentRequest('claude', { scratchDirectory: join(temporaryDirectory(), 'scratch') })
  const { promise, resolve } = Promise.withResolvers<{ content: [] }>()
  const server = await openToolServer(request, {
    ...{ tools: [], onCall: () => promise, onGone: () => expect.unreachable(), progressMs: 5 },
  })
  const socket = connect(socketPath(request, TOOL_SERVER))
  onTestFinished(async () => {
    socket.destroy()
    await server.close()
  })
  const call = { method: 'tools/call', params: { name: 'add', arguments: {}, _meta: { progressToken: 7 } } }
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, ...call })}\n`)
  const frames: { method?: string; id?: number; params?: object }[] = []
  for await (const line of createInterface({ input: socket })) {
    frames.push(JSON.parse(line))
    if (frames.length === 2) resolve({ content: [] })
    if (frames.at(-1)?.id === 1) break
  }
  expect(frames.slice(0, 2)).toMatchObject([
    { method: 'notifications/progress', params: { progressToken: 7, progress: 1 } },
    { method: 'notifications/progress', params: { progressToken: 7, progress: 2 } },
  ])
  expect(frames.at(-1)).toMatchObject({ id: 1, result: { content: [] } })
})
