import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { AGENT_NAMES, type AgentName } from './agent-name.ts'
import { planAnswer } from './answer.ts'
import { Children } from './children.ts'
import type { Dialect, Facts, Interruption, Invocation, Voice } from './dialect.ts'
import { perform } from './perform.ts'
import { createPermits } from './permits.ts'
import { type Ending, onStdout, refuse } from './said.ts'
import { readScript, type Script } from './script.ts'
import { openSessions, type Sessions } from './sessions.ts'
import { Stage } from './stage.ts'
import { addUsage, NO_USAGE, type Usage } from './usage.ts'

const DEFAULT_WORD_MS = 15
const WRONG_SETTINGS = 78

/** Everything that the agent gets from outside. */
export type World = {
  /** The name of the agent to be, then the arguments as that one would get them. */
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  pid: number
  stdin: AsyncIterable<string>
  stdout: Writable
  stderr: Writable
  leave(exit: Ending['exit']): void
  onSignal(signal: Interruption, react: () => void): void
}

type Settings = { script: Script; wordMs: number; stateDirectory: string | undefined }

type Call = {
  agent: AgentName
  settings: Settings
  dialect: Dialect
  invocation: Invocation
  sessions: Sessions
  priorUsage: Usage
}

/** Each is loaded only by the agent that speaks it. */
const DIALECTS: Readonly<Record<AgentName, () => Promise<Dialect>>> = {
  claude: async () => (await import('./claude-dialect.ts')).claudeDialect,
  codex: async () => (await import('./codex-dialect.ts')).codexDialect,
  gemini: async () => (await import('./gemini-dialect.ts')).geminiDialect,
}

export async function runAgent(world: World): Promise<void> {
  const stage = new Stage(world, world.leave)
  await stage.end(await answer(world, stage))
}

async function answer(world: World, stage: Stage): Promise<Ending> {
  const call = await readCall(world)
  return 'exit' in call ? call : takeTurn(world, stage, call)
}

/** Everything that can be refused before the prompt is read. */
async function readCall({ argv: [agent = '', ...argv], env }: World): Promise<Call | Ending> {
  if (!isAgentName(agent)) return refuse(`usage: agent.ts ${AGENT_NAMES.join('|')} [arguments of that agent]`, 2)
  const settings = readSettings(env)
  if ('problem' in settings) return refuse(settings.problem, WRONG_SETTINGS)
  const dialect = await DIALECTS[agent]()
  const invocation = dialect.readInvocation(argv)
  if ('exit' in invocation) return invocation
  const { resumeId, deleteId, format } = invocation
  const sessions = openSessions(settings.stateDirectory, agent)
  if (deleteId !== undefined) {
    sessions.remove(deleteId)
    return { said: onStdout(`Deleted session ${deleteId}\n`), exit: 0 }
  }
  const priorUsage = resumeId === undefined ? NO_USAGE : sessions.find(resumeId)
  if (priorUsage === undefined) return dialect.noSession(resumeId ?? '', { format, newId: randomUUID })
  return { agent, settings, dialect, invocation, sessions, priorUsage }
}

async function takeTurn(world: World, stage: Stage, call: Call): Promise<Ending> {
  const { agent, dialect, invocation, priorUsage } = call
  const { script, wordMs } = call.settings
  const facts = toFacts(world, invocation, priorUsage)
  const voice = dialect.createVoice(facts)
  const children = new Children(world.pid, script.pidFile)
  obeySignals(world, { voice, children, stage, script })
  children.note()
  const prompt = dialect.toPrompt(await readAll(world.stdin), invocation)
  if (prompt.trim() === '') return dialect.noPrompt
  const save = (usage: Usage) => {
    if (!invocation.isEphemeral) call.sessions.save(facts.sessionId, usage)
  }
  save(priorUsage)
  const plan = planAnswer({ agent, prompt, script, resumeId: invocation.resumeId })
  return perform({
    prompt,
    answer: plan,
    voice,
    script,
    stage,
    wordMs,
    permit: createPermits(script.permits),
    runTool: async ({ command, pretended }) => pretended ?? children.runTool(command),
    startDaemon: () => children.startDaemon(),
    onAnswered: () => save(addUsage(priorUsage, plan.usage)),
    onHang: () => children.note({ hangs: true }),
    crash: () => world.leave('SIGKILL'),
  })
}

function isAgentName(word: string): word is AgentName {
  return AGENT_NAMES.some((name) => name === word)
}

function readSettings(env: World['env']): Settings | { problem: string } {
  const read = readScript(env['DEMO_AGENT_SCRIPT'] ?? '{}')
  if ('problem' in read) return { problem: `DEMO_AGENT_SCRIPT cannot be followed: ${read.problem}` }
  const wordMs = env['DEMO_AGENT_WORD_MS'] ?? String(DEFAULT_WORD_MS)
  if (!/^\d{1,6}$/.test(wordMs)) return { problem: 'DEMO_AGENT_WORD_MS must be a whole number of milliseconds' }
  return {
    script: read.script,
    wordMs: read.script.chunkMs ?? Number(wordMs),
    stateDirectory: env['DEMO_AGENT_STATE'],
  }
}

function toFacts(world: World, invocation: Invocation, priorUsage: Usage): Facts {
  return {
    invocation,
    sessionId: invocation.resumeId ?? invocation.sessionId ?? randomUUID(),
    model: invocation.model ?? 'demo',
    cwd: world.cwd,
    priorUsage,
    elapsedMs: () => Math.round(performance.now()),
    timestamp: () => new Date().toISOString(),
    newId: randomUUID,
  }
}

function obeySignals(world: World, turn: { voice: Voice; children: Children; stage: Stage; script: Script }): void {
  const { voice, children, stage, script } = turn
  const react = (signal: Interruption) => {
    const ending = voice.interrupt(signal, { isToolRunning: children.isToolRunning })
    if (ending.tool === 'ended') children.endTool()
    void stage.interrupt(ending)
  }
  world.onSignal('SIGTERM', () => script.ignoreSigterm || react('SIGTERM'))
  world.onSignal('SIGINT', () => script.ignoreSigint || react('SIGINT'))
}

async function readAll(stdin: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const chunk of stdin) text += chunk
  return text
}
