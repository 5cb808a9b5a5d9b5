/** Runs the demo agent with the commands that drover builds for it, and reads its output as drover does. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  type AgentRequest,
  APPROVAL_MODES,
  NATIVE_BACKENDS,
  type NativeBackend,
  SANDBOX_MODES,
} from '../src/agents/adapter/agent.ts'
import { NATIVE_AGENTS } from '../src/agents/registry.ts'
import { readRequest } from '../src/demo/take-turn.ts'
import { agentRequest } from './support/agent-request.ts'
import { ending } from './support/run-drover.ts'

const DEMO_AGENT = join(import.meta.dirname, '..', 'bin', 'demo-agent.cjs')
const RESUME_ID = '67864b76-e99a-43db-a994-02adfd707235'
const NEW_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function commandFor(backend: NativeBackend, over: Partial<AgentRequest>, isRoot = false) {
  const { argv, stdin } = NATIVE_AGENTS[backend].toCommand(agentRequest(backend, { isRoot, ...over }))
  return { argv: argv.slice(1), stdin }
}

function startDemo(args: readonly string[], stdin: string) {
  const child = spawn(process.execPath, [DEMO_AGENT, ...args], { env: { DEMO_AGENT_WORD_MS: '0' } })
  child.stdin.end(stdin)
  return { child, ended: ending(child) }
}

/** What drover reads from a turn of the demo agent. */
async function runTurn(backend: NativeBackend, over: Partial<AgentRequest>) {
  const { argv, stdin } = commandFor(backend, over)
  const { code, stdout, stderr } = await startDemo([backend, ...argv], stdin).ended
  expect(stderr).toBe('')
  const reader = NATIVE_AGENTS[backend].createReader({})
  const events = stdout.split('\n').flatMap((line) => reader.readLine(line))
  const { result } = reader.finish({ code, signal: null, stderrTail: stderr }, new Date())
  return { code, events, result, types: events.map(({ type }) => type) }
}

describe.each(NATIVE_BACKENDS)('the demo agent as %s', (backend) => {
  const text = `This is drover's built-in demo agent, standing in for ${backend}. No model was called. Your prompt arrived: "say hello"`

  it('answers with a new session and token counts', async () => {
    const { code, result, types } = await runTurn(backend, { prompt: 'say hello' })
    expect({ code, error: result.error, text: result.text }).toEqual({ code: 0, error: undefined, text })
    expect(result.sessionId).toMatch(NEW_ID)
    expect(result.usage).toMatchObject({ input_tokens: 3, output_tokens: Math.ceil(text.length / 4) })
    expect(types[0]).toBe('init')
    expect(types.at(-1)).toBe('token_usage')
  })

  it('prints one event for each word, where the real agent does', async () => {
    const { events } = await runTurn(backend, { prompt: 'say hello', wantsDeltas: true })
    const pieces = events.flatMap((event) => (event.type === 'message' ? [event.content.text] : []))
    expect(pieces.join('')).toBe(text)
    expect(pieces.length).toBe(backend === 'codex' ? 1 : text.split(' ').length)
  })

  it('continues any session', async () => {
    const { result } = await runTurn(backend, { resumeId: RESUME_ID })
    expect(result.sessionId).toBe(RESUME_ID)
    expect(result.text).toContain(` It continues session ${RESUME_ID}. `)
  })

  it('thinks, and calls a tool, if the prompt asks for it', async () => {
    const { result, events, types } = await runTurn(backend, { prompt: 'think, then run a command' })
    expect(types.includes('thinking')).toBe(backend !== 'gemini')
    expect(types.filter((type) => type.startsWith('tool_'))).toEqual(['tool_use', 'tool_result'])
    expect(events.find(({ type }) => type === 'tool_result')?.content).toMatchObject({
      output: expect.stringMatching(/^hello from drover\n?$/),
    })
    expect(result.text).toContain('the call and its output are made up')
    expect(result.usage).toMatchObject(backend === 'claude' ? { cached_tokens: 7 } : { cached_tokens: 7, reasoning_tokens: 15 }) // biome-ignore format: one expectation
  })

  it('fails if the prompt asks for it', async () => {
    const { code, result } = await runTurn(backend, { prompt: 'please fail' })
    expect(code).toBe(backend === 'gemini' ? 244 : 1)
    expect(result.error).toMatchObject({
      code: 'agent_service_failed',
      message: expect.stringContaining('the demo agent fails because the prompt asks it to'),
    })
  })

  it.each(['/help', '@file', '-hello', 'resume', 'a\nb'])('gets the prompt %j', (prompt) => {
    expect(readRequest({ agent: backend, ...commandFor(backend, { prompt }) }).prompt).toContain(
      prompt.replace('@', ''),
    )
  })

  it('reads the model, the session and the prompt, whatever else drover asks for', () => {
    const asked = { prompt: 'say hello', model: 'm-1', resumeId: RESUME_ID, maxTurns: 3, systemPrompt: 'be brief' }
    for (const approvalMode of APPROVAL_MODES) {
      for (const sandboxMode of SANDBOX_MODES) {
        for (const isRoot of [true, false]) {
          const command = commandFor(backend, { ...asked, approvalMode, sandboxMode, isVerbose: true }, isRoot)
          expect(readRequest({ agent: backend, ...command })).toMatchObject({
            prompt: expect.stringContaining('say hello'),
            model: 'm-1',
            resumeId: RESUME_ID,
          })
        }
      }
    }
  })

  it('accepts every flag that callers may pass on', () => {
    for (const [flag, takes] of Object.entries(NATIVE_AGENTS[backend].extraFlags)) {
      const command = commandFor(backend, { prompt: 'say hello', extra: takes === 'value' ? [flag, 'x'] : [flag] })
      expect(readRequest({ agent: backend, ...command }).prompt).toBe('say hello')
    }
  })
})

describe('the demo agent', () => {
  it('deletes a session of gemini by doing nothing', async () => {
    expect(await startDemo(['gemini', '--delete-session', RESUME_ID], '').ended).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  it('refuses an unknown agent name', async () => {
    expect(await startDemo(['cursor'], 'hello').ended).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^usage: /),
    })
  })

  it('ignores the script variables of the fake agent', async () => {
    const env = { DEMO_AGENT_SCRIPT: '{"text":["scripted"]}', FAKE_AGENT_SCRIPT: '{"text":["scripted"]}' }
    const { argv, stdin } = commandFor('codex', {})
    const child = spawn(process.execPath, [DEMO_AGENT, 'codex', ...argv], { env })
    child.stdin.end(stdin)
    expect((await ending(child)).stdout).toContain('built-in demo agent')
  })

  it('ends when its output is not read any more', async () => {
    const { argv, stdin } = commandFor('gemini', {})
    const { child, ended } = startDemo(['gemini', ...argv], stdin)
    child.stdout.destroy()
    expect(await ended).toMatchObject({ code: 1 })
  })
})
