/** The endpoints under `/local`, which only the local socket has: prompts of the user's commands, status, and the end. */
import type { FastifyRequest } from 'fastify'
import type { ApprovalReply } from '../../agents/adapter/agent.ts'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { PreparedRun } from '../../drive/service/run-starter.ts'
import { Fault } from '../../kit/fault.ts'
import { userName } from '../../kit/user-name.ts'
import { type Caller, USER } from '../../prompts/caller.ts'
import {
  type ConsoleLink,
  digestOfSettings,
  digestSettings,
  type LocalCaller,
  type LocalDrive,
  type LocalPrompt,
  type LocalReply,
  type LocalResume,
  type LocalStart,
  type LocalStatus,
} from '../../service/local-protocol.ts'
import type { ServedDrover } from '../../service/served.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { pathNotFound } from '../errors/faults.ts'
import { abortOnDisconnect } from '../response/disconnects.ts'
import { type StreamFormat, sendStream, streamLimits } from '../response/send-stream.ts'

export type LocalOptions = {
  isBackground: boolean
  /** The config file, if it is not the one in the per-user directory. */
  configFile: string | undefined
  /** Called when the user ends the server. */
  onStop(): void
  /** A new link to the console. */
  consoleLink(): ConsoleLink
}

type RunById = { Params: { id: string } }
type ApprovalById = { Params: { id: string; approval: string } }

const REPLY_FORMAT: StreamFormat<LocalReply, void> = {
  contentType: 'application/x-ndjson',
  frame: (reply) => `${JSON.stringify(reply)}\n`,
  end: () => '',
  heartbeat: () => '{"waiting":true}\n',
}

export function localEndpoints(options: LocalOptions): RegisterRoutes {
  const { isBackground, configFile, onStop, consoleLink } = options
  return (scope, context) => {
    const { config, version, drover } = context
    const identity = { version, config: digestOfSettings(config) }
    const status = (): LocalStatus => ({
      settings: digestSettings(config),
      pid: process.pid,
      ...identity,
      is_background: isBackground,
      ...(configFile !== undefined && { config_file: configFile }),
      running: drover.executions.running().length,
      warm: drover.warm?.list() ?? [],
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
      return await drover.runs.adopt(toCaller(call), toPrepared(call))
    })

    scope.post('/runs', async (request): Promise<DrivenRun> => {
      const call = request.body as LocalStart
      return await drover.ownRuns.start(toCaller(call), call.request)
    })

    scope.post<RunById>('/runs/:id/answer', async (request): Promise<DrivenRun> => {
      const { text = '', ...place } = request.body as LocalResume
      return await drover.ownRuns.answer(toCaller(place), request.params.id, { text, actionId: undefined })
    })

    scope.post<RunById>('/runs/:id/resume', async (request): Promise<DrivenRun> => {
      const by = toCaller(request.body as LocalResume)
      return await drover.ownRuns.resume(by, request.params.id, { given: {}, actions: undefined })
    })

    scope.post('/queue', (request) => {
      const call = request.body as LocalDrive
      drover.runs.enqueue(toCaller(call), toPrepared(call))
      return status()
    })

    scope.post<ApprovalById>('/executions/:id/approvals/:approval', async (request): Promise<object> => {
      const by = { via: 'terminal', name: userName() } as const
      const { decision, message, answers } = request.body as ApprovalReply
      return { decision: await drover.executions.decide(USER, request.params, { decision, message, answers, by }) }
    })

    scope.post('/prompt', async (request, reply) => {
      const call = request.body as LocalPrompt | undefined
      const isSame = call?.version === identity.version && call.config === identity.config
      const signal = abortOnDisconnect(reply.raw, context)
      const replies = isSame ? runCall(call, drover, signal) : refuse()
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
  yield { refused: 'it has a different version or configuration' }
}

async function* runCall(
  { request, ...place }: LocalPrompt,
  { prompts }: ServedDrover,
  signal: AbortSignal,
): AsyncGenerator<LocalReply, void, undefined> {
  try {
    const { id, events } = await prompts.start(toCaller(place), request, { signal })
    const run = events()
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

function toPrepared({ run_id: runId, repository, begin, given, is_demo: isDemo, notify }: LocalDrive): PreparedRun {
  return { runId, repository, begin, given, isDemo, notify }
}

/** The user, in the place of the command. */
function toCaller({ env, cwd, is_demo: isDemo = false }: LocalCaller): Caller {
  return { is: 'user', place: { env, cwd, isDemo } }
}
