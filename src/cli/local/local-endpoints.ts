/** The endpoints under `/local`, which only the local socket has: prompts of the user's commands, status, and the end. */
import type { FastifyRequest } from 'fastify'
import type { ApprovalDecision, Program } from '../../agents/adapter/agent.ts'
import { type LocateOptions, locateAgent } from '../../agents/locate-agents.ts'
import type { Config } from '../../config/config.shape.ts'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { keepModeOf } from '../../executions/store/execution-states.ts'
import type { RegisterRoutes, ServerContext } from '../../http/context/server-context.ts'
import { pathNotFound } from '../../http/errors/faults.ts'
import { decideApproval } from '../../http/executions/decide-approval.ts'
import { abortOnDisconnect } from '../../http/response/abort-on-disconnect.ts'
import { type StreamFormat, sendStream, streamLimits } from '../../http/response/send-stream.ts'
import { Fault } from '../../kit/fault.ts'
import { userName } from '../../kit/user-name.ts'
import { createSlots } from '../../prompts/concurrency-slots.ts'
import type { PromptContext } from '../../prompts/prompt-context.ts'
import { runPrompt } from '../../prompts/run-prompt.ts'
import {
  type ConsoleLink,
  digestOfSettings,
  type LocalCaller,
  type LocalDrive,
  type LocalPrompt,
  type LocalReply,
  type LocalStatus,
} from './local-protocol.ts'

export type LocalOptions = {
  isRoot: boolean
  demoAgent: Program
  isBackground: boolean
  /** Called when the user ends the server. */
  onStop(): void
  /** A new link to the console. */
  consoleLink(): ConsoleLink
}

type ApprovalById = { Params: { id: string; approval: string } }

const REPLY_FORMAT: StreamFormat<LocalReply, void> = {
  contentType: 'application/x-ndjson',
  frame: (reply) => `${JSON.stringify(reply)}\n`,
  end: () => '',
  heartbeat: () => '{"waiting":true}\n',
}

export function localEndpoints(options: LocalOptions): RegisterRoutes {
  const { isRoot, demoAgent, isBackground, onStop, consoleLink } = options
  return (scope, context) => {
    const { config, version, executions, prompts } = context
    const identity = { version, config: digestOfSettings(config) }
    const contextFor = createContexts(context, { isRoot, demoAgent })
    const status = (): LocalStatus => ({
      pid: process.pid,
      ...identity,
      is_background: isBackground,
      running: executions.running().length,
      warm: prompts.warm?.list() ?? [],
    })

    scope.addHook('onRequest', async (request) => refuseOthers(request))

    scope.get('/status', status)

    scope.post('/stop', () => {
      onStop()
      return status()
    })

    scope.post('/console-link', consoleLink)

    scope.post('/drive', async (request): Promise<DrivenRun> => {
      const call = request.body as LocalDrive
      const prompts = { ...contextFor(call), executions }
      const asking = { caller: { is: 'user' }, promptsFor: () => prompts } as const
      const { run_id: runId, repository, begin, given, is_demo: isDemo, notify, env } = call
      return await context.runs.adopt(asking, { runId, repository, begin, given, isDemo, notify, prompts, env })
    })

    scope.post<ApprovalById>('/executions/:id/approvals/:approval', async (request): Promise<object> => {
      const by = { via: 'terminal', name: userName() } as const
      const { decision, message } = request.body as ApprovalDecision
      return { decision: await decideApproval(context, request.params, { decision, message, by }) }
    })

    scope.post('/prompt', async (request, reply) => {
      const call = request.body as LocalPrompt | undefined
      const isSame = call?.version === identity.version && call.config === identity.config
      const signal = abortOnDisconnect(reply.raw, context)
      const replies = isSame ? runCall(call, contextFor(call), signal) : refuse()
      await sendStream({ reply, events: replies }, REPLY_FORMAT, streamLimits(context))
      return reply
    })
  }
}

/** For other clients these endpoints do not exist. */
function refuseOthers({ facts, url }: FastifyRequest): void {
  if (!facts.isLocalUser) throw pathNotFound({ path: url, meant: undefined })
}

async function* refuse(): AsyncGenerator<LocalReply, void, undefined> {
  yield { refused: 'it has another version or configuration' }
}

async function* runCall(
  { request }: LocalPrompt,
  context: PromptContext,
  signal: AbortSignal,
): AsyncGenerator<LocalReply, void, undefined> {
  try {
    let id = ''
    const onBegin = (execution: { id: string }) => {
      id = execution.id
    }
    const run = runPrompt(request, context, { signal, execution: { onBegin } })
    yield { execution: id }
    let next = await run.next()
    for (; next.done !== true; next = await run.next()) yield { event: next.value }
    yield { result: next.value }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const { code, kind, message, details } = error
    yield { fault: { code, kind, message, details } }
  }
}

/** The context of a prompt as the command itself would create it, with the agents of this server. */
function createContexts(
  { config, prompts, executions, store, clock, log }: ServerContext,
  { isRoot, demoAgent }: Pick<LocalOptions, 'isRoot' | 'demoAgent'>,
) {
  const keep = keepModeOf(config.executions.keep, 'none')
  const slots = createSlots({ limit: config.server.max_concurrent_runs, queueLimit: Number.POSITIVE_INFINITY })
  return ({ env, cwd, is_demo: isDemo }: LocalCaller): PromptContext => ({
    caller: 'operator',
    settings: config,
    env,
    cwd,
    isRoot,
    clock,
    locate: locatorFor(config, { env, cwd, ...(isDemo === true && { demo: demoAgent }) }),
    openStore: async () => store,
    slots,
    isUnsafeExtraAllowed: config.server.allow_unsafe_extra,
    longestRunMs: null,
    executions: { begin: (start) => executions.begin({ keep, ...start }) },
    approvals: prompts.approvals,
    warm: prompts.warm,
    observer: { sessionLeft: (message) => log.warn({}, message) },
  })
}

function locatorFor({ backends }: Config, caller: Omit<LocateOptions, 'backends'>): PromptContext['locate'] {
  return (backend) => locateAgent(backend, { ...caller, backends })
}
