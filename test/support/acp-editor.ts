/** The client of the protocol's own SDK, connected to `drover acp` as an editor does. */
import { type ChildProcess, spawn } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { client, methods, ndJsonStream } from '@agentclientprotocol/sdk'
import { onTestFinished } from 'vitest'
import { DROVER } from './run-drover.ts'

type Update = { sessionUpdate: string; [field: string]: unknown }
type Answer = { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string }
type User = { work: string; env: Record<string, string> }

/** Starts drover as an editor does, and connects the client of the SDK. */
export async function openEditor({ work, env }: User, args: readonly string[] = []) {
  const child = spawn(process.execPath, [DROVER, 'acp', ...args], { cwd: work, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const updates: Update[] = []
  const asked: { toolCall: Update; options: { optionId: string; kind: string }[] }[] = []
  const answers: Answer[] = []
  const stream = ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  )
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update as Update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params as never)
      return { outcome: answers.shift() ?? { outcome: 'cancelled' } }
    })
    .connect(stream)
  onTestFinished(() => endChild(child, ended))
  const { agent } = connection
  const started = await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  const create = () => agent.request(methods.agent.session.new, { cwd: work, mcpServers: [] })
  const prompt = (sessionId: string, order: unknown) =>
    agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: typeof order === 'string' ? order : JSON.stringify(order) }],
    })
  const texts = (kind = 'agent_message_chunk') =>
    updates
      .filter(({ sessionUpdate }) => sessionUpdate === kind)
      .map(({ content }) => (content as { text: string }).text)
      .join('')
  return { child, ended, agent, started, create, prompt, updates, asked, answers, texts, stderr: () => stderr }
}

async function endChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.stdin?.end()
  await ended
}
