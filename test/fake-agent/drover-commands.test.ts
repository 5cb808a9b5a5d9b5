import { describe, expect, it } from 'vitest'
import {
  type AgentRequest,
  APPROVAL_MODES,
  NATIVE_BACKENDS,
  type NativeBackend,
  SANDBOX_MODES,
} from '../../src/agents/adapter/agent.ts'
import { NATIVE_AGENTS } from '../../src/agents/registry.ts'
import { agentRequest } from '../support/agent-request.ts'
import { claudeDialect } from './claude-dialect.ts'
import { codexDialect } from './codex-dialect.ts'
import type { Dialect } from './dialect.ts'
import { geminiDialect } from './gemini-dialect.ts'

const DIALECTS: Record<NativeBackend, Dialect> = { claude: claudeDialect, codex: codexDialect, gemini: geminiDialect }
const RESUME_ID = '67864b76-e99a-43db-a994-02adfd707235'

describe.each(NATIVE_BACKENDS)('the fake agent as %s', (backend) => {
  const read = (over: Partial<AgentRequest>, isRoot = false) => {
    const { argv, stdin } = NATIVE_AGENTS[backend].toCommand(agentRequest(backend, { isRoot, ...over }))
    const invocation = DIALECTS[backend].readInvocation(argv.slice(1))
    if ('exitCode' in invocation) throw new Error(`refused: ${argv.join(' ')}`)
    return { invocation, prompt: DIALECTS[backend].toPrompt(stdin, invocation) }
  }

  it('accepts the flags for every mode', () => {
    for (const approvalMode of APPROVAL_MODES) {
      for (const sandboxMode of SANDBOX_MODES) {
        for (const isRoot of [true, false]) {
          expect(read({ approvalMode, sandboxMode }, isRoot).prompt).toBe('say hello')
        }
      }
    }
  })

  it('reads all other options', () => {
    const { invocation, prompt } = read({
      model: 'm-1',
      maxTurns: 3,
      systemPrompt: 'be brief',
      isVerbose: true,
      resumeId: RESUME_ID,
      isEphemeral: true,
      wantsDeltas: true,
    })
    expect(invocation).toMatchObject({ format: 'stream-json', model: 'm-1', resumeId: RESUME_ID })
    expect(prompt).toContain('say hello')
  })

  it.each(['/help', '@file', '-hello', 'resume', 'a\nb'])('gets the prompt %j', (text) => {
    expect(read({ prompt: text }).prompt).toContain(text.replace('@', ''))
  })

  it('accepts every flag that callers may pass on', () => {
    for (const [flag, takes] of Object.entries(NATIVE_AGENTS[backend].extraFlags)) {
      expect(read({ extra: takes === 'value' ? [flag, 'x'] : [flag] }).prompt).toBe('say hello')
    }
  })
})
