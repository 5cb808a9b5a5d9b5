/** What real agents ask their user: claude by AskUserQuestion, codex by request_user_input. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AgentEvent, ApprovalReply, ApprovalRequest } from '../../src/agents/adapter/agent.ts'
import { checkAnswers, NO_ANSWER } from '../../src/agents/adapter/answers.ts'
import { buildCommand } from '../../src/agents/build-command.ts'
import { findWarmBackend } from '../../src/agents/pool/warm-backends.ts'
import { runAgent } from '../../src/agents/run-agent.ts'
import { newScratchDirectory } from '../../src/agents/scratch-files.ts'
import type { LongLivedAgent } from '../../src/agents/warm/long-lived-agent.ts'
import { agentRequest } from '../support/agent-request.ts'
import { until } from '../support/until.ts'
import { type AgentSetup, createAgentSetup, MODELS } from './agent-setup.ts'
import { installed, processesIn, useUpstream } from './real-agents.ts'

const upstream = useUpstream()

const OPTIONS = ['SQLite', 'PostgreSQL'].map((label) => ({ label, description: `use ${label}` }))
const QUESTION = { question: 'Which store?', header: 'Store', options: OPTIONS }
const CALLS = {
  claude: { name: 'AskUserQuestion', args: { questions: [{ ...QUESTION, multiSelect: false }] } },
  codex: { name: 'request_user_input', args: { questions: [{ ...QUESTION, id: 'store' }] } },
} as const

describe.each(installed.filter(({ backend }) => backend !== 'gemini'))(
  'a question of $backend',
  ({ backend, path }) => {
    let setup: AgentSetup
    let agent: LongLivedAgent | undefined

    beforeEach(() => {
      setup = createAgentSetup(backend, path, upstream.port())
    })

    afterEach(async () => {
      await agent?.end()
      await until(() => processesIn(setup).length === 0)
      setup.remove()
    })

    const toRequest = (hasApprover: boolean) => {
      const call = CALLS[backend as keyof typeof CALLS]
      const calls = Buffer.from(JSON.stringify([[call]])).toString('base64url')
      return agentRequest(backend, {
        ...{ prompt: `work #scenario=client #calls=${calls}`, scratchDirectory: newScratchDirectory(), hasApprover },
        ...{
          model: MODELS[backend],
          workdir: setup.work,
          program: [path],
          approvalMode: hasApprover ? 'always' : 'auto',
        },
        ...{ isRoot: process.getuid?.() === 0, timeoutMs: 60_000, env: setup.env('plain') },
      })
    }

    async function answerWith(reply: ApprovalReply) {
      const request = toRequest(true)
      const { signal } = new AbortController()
      const { scratchDirectory } = request
      agent = await findWarmBackend(request)?.start({ request, scratchDirectory, owner: undefined, signal })
      const asked: ApprovalRequest[] = []
      const turn = (agent as LongLivedAgent).prompt({
        ...{ request, command: buildCommand(request), signal },
        onApproval: async (question) => {
          asked.push(question)
          checkAnswers(question, reply)
          return { ...reply, by: { via: 'program' } }
        },
      })
      return { asked, text: await read(turn) }
    }

    /** What the agent has told the model about the answer. */
    async function read(turn: AsyncGenerator<AgentEvent>): Promise<string> {
      const before = upstream.received().length
      for await (const { type } of turn) expect(type).not.toBe('error')
      return upstream.received().slice(before)
    }

    it('has its options, and the model gets the answer', async () => {
      const { asked, text } = await answerWith({ decision: 'allow', answers: [['PostgreSQL']] })
      expect(asked).toMatchObject([{ questions: [{ text: 'Which store?', options: OPTIONS }] }])
      expect(text.replaceAll('\\', '')).toMatch(/"Which store\?"="PostgreSQL"|"answers":\["PostgreSQL"\]/)
    })

    it('has no answer if its user gives none', async () => {
      const { asked, text } = await answerWith({ decision: 'deny' })
      expect(asked).toHaveLength(1)
      expect(text).toContain(NO_ANSWER)
    })

    it('does not wait where no one is asked', async () => {
      const request = toRequest(false)
      const { signal } = new AbortController()
      await read(runAgent(request, buildCommand(request), { owner: undefined, signal, priorUsage: undefined }))
    })
  },
)
