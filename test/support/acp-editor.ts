/** The client of the protocol's own SDK, connected to `drover acp` as an editor does. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import {
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  methods,
  ndJsonStream,
} from '@agentclientprotocol/sdk'
import { onTestFinished } from 'vitest'
import { callMain } from './call-main.ts'
import { DROVER, temporaryDirectory } from './run-drover.ts'
import { installWarmAgents } from './warm-agents.ts'

type Update = { sessionUpdate: string; [field: string]: unknown }
type Answer = { outcome: 'cancelled' } | { outcome: 'selected'; optionId: string }
/** Fills in a form. */
type Form = (asked: CreateElicitationRequest) => CreateElicitationResponse
type User = { work: string; env: Record<string, string> }

/** A user with scripted claude and codex. A prompt is an order for them: `{"say": "text"}`. */
export function createUser(config: object = {}, variables: Record<string, string> = {}) {
  const home = realpathSync(temporaryDirectory())
  const work = join(home, 'work')
  mkdirSync(work)
  mkdirSync(join(home, '.drover'))
  const configure = (settings: object) => writeFileSync(join(home, '.drover', 'config.yaml'), JSON.stringify(settings))
  configure(config)
  const env = { HOME: home, PATH: `${installWarmAgents(join(home, 'bin'))}:/usr/bin:/bin`, ...variables }
  return { home, work, env, configure }
}

/** Starts drover as an editor does, and connects the client of the SDK. */
export async function openEditor(user: User, args: readonly string[] = []) {
  const { work, env } = user
  const child = spawn(process.execPath, [DROVER, 'acp', ...args], { cwd: work, env, stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  onTestFinished(() => endChild(child, ended))
  return { child, ended, stderr: () => stderr, ...(await connect(user, { input: child.stdin, output: child.stdout })) }
}

/** The same in this process: faster, and a debugger sees it. */
export async function openEditorHere(user: User, args: readonly string[] = [], form?: Form) {
  const { work, env } = user
  const [stream, output] = [new PassThrough(), new PassThrough()]
  const onOutput = (text: string) => void output.write(text)
  const ended = callMain(['acp', ...args], { cwd: work, env, homeDirectory: env['HOME'] ?? work, stream, onOutput })
  onTestFinished(async () => {
    stream.end()
    await ended
  })
  return { end: () => void stream.end(), ended, ...(await connect(user, { input: stream, output }, form)) }
}

async function connect({ work }: User, { input, output }: { input: Writable; output: Readable }, form?: Form) {
  const updates: Update[] = []
  const asked: { toolCall: Update; options: { optionId: string; kind: string }[] }[] = []
  const answers: (Answer | ((isOver: AbortSignal) => Promise<Answer>))[] = []
  const stream = ndJsonStream(
    Writable.toWeb(input) as WritableStream<Uint8Array>,
    Readable.toWeb(output) as ReadableStream<Uint8Array>,
  )
  const connection = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update as Update))
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      asked.push(params as never)
      const answer = answers.shift() ?? { outcome: 'cancelled' }
      return { outcome: typeof answer === 'function' ? await answer(signal) : answer }
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => form?.(params) ?? { action: 'cancel' })
    .connect(stream)
  const { agent } = connection
  const started = await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: form === undefined ? {} : { elicitation: { form: {} } },
  })
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
  return { agent, started, create, prompt, updates, asked, answers, texts }
}

async function endChild(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.stdin?.end()
  await ended
}
