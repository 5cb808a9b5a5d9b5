import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { AGENT_NAMES, type AgentName, type DemoUsage } from '../../src/demo/demo-answer.ts'
import { planScriptedAnswer } from './answer.ts'
import { ChildProcesses } from './child-processes.ts'
import type { AgentOutput, Dialect, Facts, Interruption, Invocation } from './dialect.ts'
import { geminiHome, writeReport } from './gemini-files.ts'
import { type Ending, refuse } from './output.ts'
import { OutputStreams } from './output-streams.ts'
import { runTurn } from './run-turn.ts'
import { readScript, type Script } from './script.ts'
import { openSessions, type Sessions } from './sessions.ts'
import { addUsage, NO_USAGE } from './usage.ts'
import { createWordPermits } from './word-permits.ts'

const WRONG_SETTINGS = 78

/** The process that the agent runs in. */
export type AgentProcess = {
  /** The name of the agent, then its arguments. */
  argv: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  pid: number
  stdin: AsyncIterable<string>
  stdout: Writable
  stderr: Writable
  exit(exitCode: Ending['exitCode']): void
  onSignal(signal: Interruption, react: () => void): void
}

type Settings = { script: Script; stateDirectory: string | undefined }

type Invoked = {
  agent: AgentName
  settings: Settings
  dialect: Dialect
  invocation: Invocation
  sessions: Sessions
  priorUsage: DemoUsage
}

/** Each is loaded only when it is needed. */
const DIALECTS: Readonly<Record<AgentName, () => Promise<Dialect>>> = {
  claude: async () => (await import('./claude-dialect.ts')).claudeDialect,
  codex: async () => (await import('./codex-dialect.ts')).codexDialect,
  gemini: async () => (await import('./gemini-dialect.ts')).geminiDialect,
}

export async function runAgent(self: AgentProcess): Promise<void> {
  const streams = new OutputStreams(self, self.exit)
  await streams.end(await answer(self, streams))
}

async function answer(self: AgentProcess, streams: OutputStreams): Promise<Ending> {
  const call = await readCall(self)
  return 'exitCode' in call ? call : takeTurn(self, streams, call)
}

/** Everything that can be refused before the prompt is read. */
async function readCall({ argv: [agent = '', ...argv], env }: AgentProcess): Promise<Invoked | Ending> {
  if (!isAgentName(agent)) return refuse(`usage: agent.ts ${AGENT_NAMES.join('|')} [arguments of that agent]`, 2)
  const settings = readSettings(env)
  if ('problem' in settings) return refuse(settings.problem, WRONG_SETTINGS)
  const dialect = await DIALECTS[agent]()
  const invocation = dialect.readInvocation(argv)
  if ('exitCode' in invocation) return invocation
  const { resumeId, deleteId, format } = invocation
  const sessions = openSessions(settings.stateDirectory, agent)
  if (deleteId !== undefined) {
    sessions.remove(deleteId)
    geminiHome(env)?.remove(deleteId)
    return { output: `Deleted session ${deleteId}\n`, exitCode: 0 }
  }
  const priorUsage = resumeId === undefined ? NO_USAGE : sessions.find(resumeId)
  if (priorUsage === undefined) return dialect.noSession(resumeId ?? '', { format, newId: randomUUID })
  return { agent, settings, dialect, invocation, sessions, priorUsage }
}

async function takeTurn(self: AgentProcess, streams: OutputStreams, call: Invoked): Promise<Ending> {
  const { agent, dialect, invocation, priorUsage } = call
  const { script } = call.settings
  const facts = { ...toFacts(self, invocation, priorUsage), ...(script.sessionId && { sessionId: script.sessionId }) }
  const format = dialect.createOutput(facts)
  const children = new ChildProcesses(self.pid, script.pidFile)
  obeySignals(self, { format, children, streams, script })
  children.note()
  const prompt = dialect.toPrompt(await readAll(self.stdin), invocation)
  if (prompt.trim() === '') return dialect.noPrompt
  const save = (usage: DemoUsage) => {
    if (!invocation.isEphemeral) call.sessions.save(facts.sessionId, usage)
  }
  save(priorUsage)
  if (agent === 'gemini') geminiHome(self.env)?.save(facts.sessionId, { cwd: self.cwd, prompt })
  const plan = planScriptedAnswer({ agent, prompt, script, resumeId: invocation.resumeId })
  if (agent === 'gemini' && plan.failure !== undefined) writeReport(self.env, prompt)
  return runTurn({
    prompt,
    answer: plan,
    format,
    script,
    streams,
    waitForPermit: createWordPermits(script.permits),
    callTools: () => callTools(self, { ...call, prompt }, streams),
    runTool: async ({ command, outcome }) => outcome ?? children.runTool(command),
    startDaemon: () => children.startDaemon(),
    onAnswered: () => save(addUsage(priorUsage, plan.usage)),
    onHang: () => children.note({ hangs: true }),
    crash: () => self.exit('SIGKILL'),
  })
}

async function callTools(
  self: AgentProcess,
  { agent, prompt, settings: { script } }: Invoked & { prompt: string },
  streams: OutputStreams,
): Promise<(text: string) => string> {
  const { announce, findToolServer, ToolClient } = await import('./client-tools.ts')
  const server = findToolServer(agent, self)
  if (server === undefined) return (text) => text
  const client = new ToolClient(server)
  const tools = await client.initialize()
  let results: string[] = []
  const isCalling = prompt.includes(script.callsIf ?? '')
  for (const round of isCalling ? (script.calls ?? []) : []) {
    for (const each of round) await streams.write(announce(agent, each, randomUUID()))
    results = await Promise.all(round.map((each) => client.call(each)))
  }
  client.close()
  return (text) => text.replace('{{results}}', results.join('|')).replace('{{tools}}', tools.join())
}

function isAgentName(word: string): word is AgentName {
  return AGENT_NAMES.some((name) => name === word)
}

function readSettings(env: AgentProcess['env']): Settings | { problem: string } {
  const read = readScript(env['FAKE_AGENT_SCRIPT'] ?? '{}')
  if ('problem' in read) return { problem: `FAKE_AGENT_SCRIPT is invalid: ${read.problem}` }
  return { script: read.script, stateDirectory: env['FAKE_AGENT_STATE'] }
}

function toFacts(self: AgentProcess, invocation: Invocation, priorUsage: DemoUsage): Facts {
  return {
    invocation,
    sessionId: invocation.resumeId ?? invocation.sessionId ?? randomUUID(),
    model: invocation.model ?? 'demo',
    hasPartialMessages: invocation.hasPartialMessages,
    cwd: self.cwd,
    priorUsage,
    elapsedMs: () => Math.round(performance.now()),
    timestamp: () => new Date().toISOString(),
    newId: randomUUID,
  }
}

function obeySignals(
  self: AgentProcess,
  turn: { format: AgentOutput; children: ChildProcesses; streams: OutputStreams; script: Script },
): void {
  const { format, children, streams, script } = turn
  const react = (signal: Interruption) => {
    const ending = format.interrupt(signal, { isToolRunning: children.isToolRunning })
    if (ending.tool === 'ended') children.endTool()
    void streams.interrupt(ending)
  }
  const ignore = (signal: Interruption) => children.note({ ignored: signal })
  self.onSignal('SIGTERM', () => (script.ignoreSigterm ? ignore('SIGTERM') : react('SIGTERM')))
  self.onSignal('SIGINT', () => (script.ignoreSigint ? ignore('SIGINT') : react('SIGINT')))
}

async function readAll(stdin: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const chunk of stdin) text += chunk
  return text
}
