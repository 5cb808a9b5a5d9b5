/** Traces and metrics, as a collector receives them. */
import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { dataOf } from './support/driven-home.ts'
import { installFakeAgent } from './support/fake-agent.ts'
import { firstOf } from './support/full-counts.ts'
import { OtlpReceiver } from './support/otlp-receiver.ts'
import { DROVER, run, temporaryDirectory } from './support/run-drover.ts'
import { portOf, serveDrover } from './support/serve-drover.ts'
import { createServedDriving, runClient } from './support/served-runs.ts'
import { ask } from './support/start-server.ts'
import { until } from './support/until.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const traceparent = `00-${TRACE}-${PARENT}-01`

function withAgent(script: Parameters<typeof installFakeAgent>[2] = {}): Record<string, string> {
  const bin = temporaryDirectory()
  installFakeAgent(bin, 'claude', script)
  return { PATH: `${bin}:/usr/bin:/bin` }
}

describe('a server with telemetry', () => {
  it('reports a prompt with its tool calls, tokens and cost, and none of its texts', async () => {
    const receiver = new OtlpReceiver()
    const usage = { input: 100, cached: 40, output: 7 }
    const env = {
      ...withAgent({ script: { tool: 'echo SECRET-OUTPUT', text: ['SECRET-ANSWER'], usage } }),
      DROVER_TELEMETRY_OTLP_ENDPOINT: await receiver.start(),
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=weather%20team',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    }
    const server = serveDrover(['--port', '0'], env)
    const port = await portOf(server)
    const body = { backend: 'claude', prompt: 'SECRET-PROMPT', model: 'sonnet', approval_mode: 'none' }
    const answer = await ask({ port, path: '/api/v1/prompt', method: 'POST', headers: { traceparent }, body })
    expect(answer).toMatchObject({ status: 200, headers: { traceparent } })
    const { session_id: session } = answer.body as { session_id: string }
    expect(await ask({ port, path: '/health' })).toMatchObject({ status: 200 })
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    const [request] = receiver.named('POST /api/v1/prompt')
    const [agent] = receiver.named('invoke_agent claude')
    const [tool] = receiver.named('execute_tool Bash')
    expect(receiver.spans).toHaveLength(3)
    expect(request).toMatchObject({
      ...{ traceId: TRACE, parentSpanId: PARENT, kind: 'SPAN_KIND_SERVER' },
      resource: { 'service.name': 'drover', 'deployment.environment.name': 'test' },
      attributes: { 'http.request.method': 'POST', 'http.route': '/api/v1/prompt', 'http.response.status_code': 200 },
    })
    expect(agent).toMatchObject({
      ...{ traceId: TRACE, parentSpanId: request?.spanId, kind: 'SPAN_KIND_INTERNAL' },
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': 'anthropic',
        'gen_ai.agent.name': 'claude',
        'gen_ai.request.model': 'sonnet',
        'gen_ai.conversation.id': session,
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.output_tokens': 7,
        'gen_ai.usage.cache_read.input_tokens': 40,
        'drover.execution.id': expect.any(String),
      },
    })
    expect(tool).toMatchObject({
      ...{ traceId: TRACE, parentSpanId: agent?.spanId },
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'Bash',
        'gen_ai.tool.call.id': expect.any(String),
      },
    })
    expect(receiver.headers[0]).toMatchObject({ 'x-team': 'weather team' })
    expect(receiver.text).not.toContain('SECRET')
    const points = Object.groupBy(receiver.points, ({ name }) => name)
    const common = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.provider.name': 'anthropic' }
    expect(points['gen_ai.client.token.usage']).toMatchObject([
      { unit: '{token}', count: 1, sum: 100, attributes: { ...common, 'gen_ai.token.type': 'input' } },
      { unit: '{token}', count: 1, sum: 7, attributes: { ...common, 'gen_ai.token.type': 'output' } },
    ])
    expect(points['gen_ai.invoke_agent.duration']).toMatchObject([{ unit: 's', count: 1 }])
    expect(points['gen_ai.execute_tool.duration']).toMatchObject([{ attributes: { 'gen_ai.tool.name': 'Bash' } }])
  })

  it('names failures by their codes, and sends texts without secrets if it should', async () => {
    const receiver = new OtlpReceiver()
    const env = {
      ...withAgent({ script: { fail: 401, failText: 'the key sk-ant-api03-LEAKED-LEAKED-LEAKED is wrong' } }),
      OTEL_EXPORTER_OTLP_ENDPOINT: `${await receiver.start()}/`,
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      DROVER_TELEMETRY_CONTENTS: 'true',
    }
    const ran = await run([process.execPath, DROVER, 'look: token=sk-ant-api03-LEAKED-LEAKED-LEAKED'], env)
    expect(ran.code).not.toBe(0)
    const [agent] = receiver.named('invoke_agent claude')
    expect(agent).toMatchObject({ parentSpanId: '', status: { code: 'STATUS_CODE_ERROR' } })
    expect(agent?.attributes).toMatchObject({
      'error.type': expect.stringMatching(/^[a-z_]+$/),
      'gen_ai.input.messages': expect.stringContaining('look: token=[redacted]'),
    })
    expect(receiver.text).not.toContain('LEAKED')
  })

  it('keeps a driven run in one trace, from the request through a kill to its end', async () => {
    const receiver = new OtlpReceiver()
    const { driving, start } = createServedDriving({ orient: [{ hangs: true }, { cost: 0.25 }] })
    Object.assign(driving.env, { DROVER_TELEMETRY_OTLP_ENDPOINT: await receiver.start() })
    const first = await start()
    const traced = runClient((path, options) => ask({ port: first.port, path, ...options, headers: { traceparent } }))
    const { id } = await traced.start()
    await until(() => receiver.named('POST /api/v1/runs').length > 0)
    await until(() => driving.calls().length > 0)
    first.child.kill('SIGKILL')
    await first.ended
    const second = await start()
    await second.reaches(id, 'ended')
    second.child.kill('SIGTERM')
    await second.ended
    const [request] = receiver.named('POST /api/v1/runs')
    const [workflow] = receiver.named('invoke_workflow drive')
    expect(workflow).toMatchObject({
      ...{ traceId: TRACE, parentSpanId: request?.spanId },
      attributes: {
        'gen_ai.operation.name': 'invoke_workflow',
        'gen_ai.workflow.name': 'drive',
        'drover.run.id': id,
        'drover.run.end': 'ended',
        'drover.cost_usd': 0.25,
      },
    })
    const agents = receiver.spans.filter(({ name }) => name.startsWith('invoke_agent '))
    const attempts = dataOf(driving.records(id), 'attempt_ended').filter(({ how }) => how === 'answered')
    expect(agents).toHaveLength(attempts.length)
    for (const each of agents) expect(each).toMatchObject({ traceId: TRACE, parentSpanId: workflow?.spanId })
    const pointsOf = (metric: string) => receiver.points.filter(({ name }) => name === metric)
    expect(pointsOf('gen_ai.workflow.duration')).toMatchObject([{ count: 1 }])
    expect(pointsOf('drover.cost_usd')).toMatchObject([{ sum: 0.25 }])
  })
})

describe('a collector that', () => {
  const ANSWERS = 'says hello'

  async function time(endpoint: string) {
    const env = { ...withAgent({ script: { text: [ANSWERS] } }), OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }
    const server = serveDrover(['--port', '0'], env)
    const port = await portOf(server)
    const body = { backend: 'claude', prompt: 'hello' }
    const startedAt = performance.now()
    const answer = await ask({ port, path: '/api/v1/prompt', method: 'POST', body })
    expect(answer).toMatchObject({ status: 200, body: { output: ANSWERS } })
    const answeredMs = performance.now() - startedAt
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
    return { answeredMs, endedMs: performance.now() - startedAt - answeredMs, log: server.heard.stderr }
  }

  async function listen(onConnection: (socket: import('node:net').Socket) => void): Promise<string> {
    const sockets = new Set<import('node:net').Socket>()
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}))
      onConnection(socket)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as { port: number }).port}`
  }

  it.each<[string, () => Promise<string>]>(
    firstOf(
      [
        ['is not there', async () => 'http://127.0.0.1:9'],
        ['never answers', () => listen(() => {})],
        ['answers with garbage', () => listen((socket) => socket.end('\u0000\u0001 not HTTP sk-ant-LEAKED'))],
      ],
      1,
    ),
  )('%s delays neither a prompt nor the end of the server by much', async (_name, endpoint) => {
    const { answeredMs, endedMs, log } = await time(await endpoint())
    // Far below the ten seconds for which an export is tried.
    expect(answeredMs).toBeLessThan(5000)
    expect(endedMs).toBeLessThan(8000)
    expect(log).not.toContain('LEAKED')
  })
})
