/** The tools of a request to this server: with the key, the ceilings, the directories and the limits of its sender. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { newExecutionId } from '../../executions/store/execution-id.ts'
import { isFinal } from '../../executions/store/execution-states.ts'
import { executionEnded } from '../../executions/store/faults.ts'
import { compareAgents } from '../../prompts/compare-agents.ts'
import type { ExecutionOptions } from '../../prompts/execution-recorder.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import type { PromptRequest } from '../../prompts/prompt-request.ts'
import { runPromptToEnd } from '../../prompts/run-prompt.ts'
import type { ServerContext } from '../context/server-context.ts'
import { findExecution } from '../native/executions.ts'
import { toNextPrompt } from '../native/resume.ts'
import { accessOf, noteRun, toStartRequest, viewerOf } from '../native/runs.ts'
import { promptsOf } from '../response/prompts-of.ts'
import type { ToolPort } from './tool-port.ts'

export function createContextPort(request: FastifyRequest, context: ServerContext): ToolPort {
  const { config, executions, runs, shutdown } = context
  const find = (id: string) => findExecution(id, request, context)
  const startPrompt = async (prompt: PromptRequest) => {
    Object.assign(request.facts, { backends: [prompt.backend], prompts: [prompt.prompt] })
    return await start({ request, context }, (prompts, options) =>
      runPromptToEnd({ ...prompt, wantsDeltas: true }, prompts, options),
    )
  }
  return {
    version: context.version,
    defaultBackend: config.default_backend,
    waitSecs: config.server.mcp_wait_secs,
    closing: shutdown,
    prompt: startPrompt,
    compare: async (comparison) => {
      const { backends, prompt } = comparison
      Object.assign(request.facts, { backends, prompts: [prompt] })
      return await start({ request, context }, (prompts, options) => compareAgents(comparison, prompts, options))
    },
    resume: async (id, { fork = false, ...body }) =>
      await startPrompt(await toNextPrompt(request, context, { id, fork, body })),
    findExecution: find,
    followExecution: (id, from) => executions.follow(id, from),
    cancelExecution: async (id) => {
      const execution = await find(id)
      if (isFinal(execution.state)) throw executionEnded({ id: execution.id, state: execution.state })
      await executions.cancel(execution)
    },
    startRun: async (body) => {
      const run = await runs.start(accessOf(request, context), { ...toStartRequest(body), runId: context.ids.uuid() })
      noteRun(request, run)
      return run
    },
    showRun: async (id) => await runs.show(id, viewerOf(request, context)),
    followRun: async function* (id, from) {
      yield* (await runs.follow(id, viewerOf(request, context), from)).events
    },
    answerRun: async (id, { text, action_id: actionId }) =>
      await runs.answer(id, accessOf(request, context), { text, actionId }),
  }
}

type Work = (prompts: PromptContext, options: { signal: AbortSignal; execution: ExecutionOptions }) => Promise<unknown>

/** Starts work that goes on without its client. Throws the Fault of work that cannot be begun. */
async function start(
  { request, context }: { request: FastifyRequest; context: ServerContext },
  work: Work,
): Promise<string> {
  const id = newExecutionId(context.ids)
  const begun = Promise.withResolvers<void>()
  const onBegin = () => begun.resolve()
  const execution = { id, isInBackground: true, onBegin }
  // A signal of its own, because listeners are added to it.
  const signal = AbortSignal.any([context.drainDeadline])
  const ended = context.background.add(work(promptsOf(request, context), { signal, execution }))
  // With a queue it is stored only now, and then it can be followed.
  await Promise.race([ended, begun.promise])
  await Promise.race([ended, nextTurn()])
  await context.executions.save()
  return id
}
