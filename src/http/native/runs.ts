/** `/api/v1/runs` and `/api/v1/queue`: starts, lists, follows and changes driven runs. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import type { WorkAct } from '../../drive/act/act-on-run.ts'
import { driveAnswerLost } from '../../drive/faults.ts'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { RunService } from '../../drive/service/run-service.ts'
import type { DriveStartRequest } from '../../drive/service/run-starter.ts'
import { executionLost } from '../../executions/store/faults.ts'
import { toTimestamp } from '../../kit/clock.ts'
import { Fault, isFault } from '../../kit/fault.ts'
import { checker, requestChecker } from '../../kit/schema.ts'
import type { Caller } from '../../prompts/caller.ts'
import type {
  AnswerBody,
  ConfirmBody,
  DiffQuery,
  FollowUpBody,
  MergeBody,
  MoveBody,
  ReportQuery,
  ResumeBody,
  RunQuery,
  SkipBody,
  StartBody,
} from '../../service/run-requests.shape.ts'
import { toFollowUp, toResumeRequest, toStartRequest } from '../../service/run-requests.ts'
import { toRequestCaller } from '../context/sender.ts'
import type { RegisterRoutes } from '../context/server-context.ts'
import { claimRequest, type Exchange } from '../executions/requested-execution.ts'
import { checkBody } from '../request/body.ts'
import {
  validateAnswerBody,
  validateConfirmBody,
  validateDiffQuery,
  validateEventsQuery,
  validateFollowUpBody,
  validateMergeBody,
  validateMoveBody,
  validateReportQuery,
  validateResumeBody,
  validateRunQuery,
  validateSkipBody,
  validateStartBody,
} from '../request/checks.generated.js'
import { readQuery } from '../request/query.ts'
import { abortOnDisconnect } from '../response/disconnects.ts'
import { sendJson } from '../response/send-json.ts'
import { sendStream } from '../response/send-stream.ts'
import type { EventsQuery } from './executions.shape.ts'
import { executionStreamLimits, lastEventId, numberedFormat, STREAM, wantsServerSentEvents } from './executions.ts'

type ById = { Params: { id: string } }

const checkRunQuery = checker<RunQuery>('the query', validateRunQuery)
const checkDiffQuery = checker<DiffQuery>('the query', validateDiffQuery)
const checkReportQuery = checker<ReportQuery>('the query', validateReportQuery)
const checkEventsQuery = checker<EventsQuery>('the query', validateEventsQuery)
const checkStart = requestChecker<StartBody>('the request', validateStartBody)
const checkAnswer = requestChecker<AnswerBody>('the request', validateAnswerBody)
const checkConfirm = requestChecker<ConfirmBody>('the request', validateConfirmBody)
const checkSkip = requestChecker<SkipBody>('the request', validateSkipBody)
const checkResume = requestChecker<ResumeBody>('the request', validateResumeBody)
const checkFollowUp = requestChecker<FollowUpBody>('the request', validateFollowUpBody)

const checkMerge = requestChecker<MergeBody>('the request', validateMergeBody)

/** They have no body. */
const ACTS: readonly (readonly [word: string, act: WorkAct])[] = [
  ['pull-request', { do: 'pull_request' }],
  ['take', { do: 'take' }],
  ['discard', { do: 'discard' }],
  ['undo-discard', { do: 'undo_discard' }],
]

const DEFAULT_LIMIT = 50
const DAY_MS = 86_400_000
const FIND_ATTEMPTS = 40
const FIND_EVERY_MS = 100

export const registerRuns: RegisterRoutes = (scope, context) => {
  const { runs } = context.drover
  const by = (request: FastifyRequest) => toRequestCaller(request, context)

  scope.post('/runs', async (request, reply) => {
    const body = checkBody(request.body, checkStart)
    const started = await startOnce({ request, reply, context }, toStartRequest(body))
    noteRun(request, started)
    void reply.code(201).header('location', `/api/v1/runs/${started.id}`)
    return sendJson(reply, started)
  })

  scope.get('/runs', async (request, reply) => {
    const { limit = DEFAULT_LIMIT, state, ...query } = readQuery(request.query, checkRunQuery, ['limit'])
    const states = state === undefined ? {} : { states: state.split(',') }
    return sendJson(reply, await runs.list(by(request), { ...query, ...states, limit }))
  })

  scope.get('/report', async (request, reply) => {
    const { since = toTimestamp(new Date(context.clock.now().getTime() - DAY_MS)) } = readQuery(
      request.query,
      checkReportQuery,
      [],
    )
    return sendJson(reply, await runs.report(by(request), toTimestamp(new Date(since))))
  })

  scope.get<ById>('/runs/:id', async (request, reply) =>
    sendJson(reply, await runs.show(by(request), request.params.id)),
  )

  scope.get<ById>('/runs/:id/diff', async (request, reply) => {
    const { files_only: only, ...part } = readQuery(request.query, checkDiffQuery, ['context'])
    return sendJson(reply, await runs.diff(by(request), request.params.id, { ...part, filesOnly: only === 'true' }))
  })

  scope.get<ById>('/runs/:id/events', STREAM, async (request, reply) => {
    const { after = lastEventId(request) ?? 0 } = readQuery(request.query, checkEventsQuery, ['after'])
    const signal = AbortSignal.any([abortOnDisconnect(reply.raw, context), context.shutdown])
    const { isOver, events } = await runs.follow(by(request), request.params.id, { after, signal })
    // An `EventSource` connects again after the end of a stream. 204 tells it to stop.
    if (isOver && wantsServerSentEvents(request)) return reply.code(204).send()
    await sendStream({ reply, events }, numberedFormat(request, context), executionStreamLimits(context))
    return reply
  })

  scope.post<ById>('/runs/:id/answer', async (request, reply) => {
    const { text, action_id: actionId } = checkBody(request.body, checkAnswer)
    return sendJson(reply, await runs.answer(by(request), request.params.id, { text, actionId }))
  })

  scope.post<ById>('/runs/:id/confirm', async (request, reply) => {
    const { scope_sha256: scopeSha256, action_id: actionId } = checkBody(request.body, checkConfirm)
    const given = { scopeSha256, actionId }
    return sendJson(reply, await runs.confirm(by(request), request.params.id, given))
  })

  scope.post<ById>('/runs/:id/skip', async (request, reply) => {
    const { action_id: actionId } = checkBody(request.body ?? {}, checkSkip)
    return sendJson(reply, await runs.skip(by(request), request.params.id, { actionId }))
  })

  scope.post<ById>('/runs/:id/stop', async (request, reply) =>
    sendJson(reply, await runs.stop(by(request), request.params.id)),
  )

  scope.post<ById>('/runs/:id/resume', async (request, reply) => {
    const resumed = toResumeRequest(checkBody(request.body ?? {}, checkResume))
    return sendJson(reply, await runs.resume(by(request), request.params.id, resumed))
  })

  scope.post<ById>('/runs/:id/follow-up', async (request, reply) => {
    const wanted = toFollowUp(checkBody(request.body ?? {}, checkFollowUp))
    return sendJson(reply, await runs.followUp(by(request), request.params.id, wanted))
  })

  scope.post<ById>('/runs/:id/merge', async (request, reply) => {
    const wanted = checkBody(request.body ?? {}, checkMerge)
    return sendJson(reply, await runs.act(by(request), request.params.id, { do: 'merge', ...wanted }))
  })

  for (const [word, act] of ACTS) {
    scope.post<ById>(`/runs/:id/${word}`, async (request, reply) =>
      sendJson(reply, await runs.act(by(request), request.params.id, act)),
    )
  }
}

/** Of queued runs. */
export const registerQueue: RegisterRoutes = (scope, context) => {
  const { runs } = context.drover
  const by = (request: FastifyRequest) => toRequestCaller(request, context)

  scope.get('/queue', async (request, reply) => sendJson(reply, await runs.queue(by(request))))

  scope.post<ById>('/runs/:id/first', async (request, reply) =>
    sendJson(reply, await runs.move(by(request), request.params.id, 'first')),
  )

  scope.post<ById>('/runs/:id/move', async (request, reply) => {
    const { before } = checkBody(request.body ?? {}, checkMove)
    const place = before === undefined ? 'last' : { before }
    return sendJson(reply, await runs.move(by(request), request.params.id, place))
  })
}

/** A repeated request with the same `Idempotency-Key` gets the same run. */
async function startOnce(exchange: Exchange, start: DriveStartRequest): Promise<DrivenRun> {
  const { request, reply, context } = exchange
  const { ids, drover } = context
  const runId = ids.uuid()
  const by = toRequestCaller(request, context)
  const claimed = await claimRequest(exchange, runId)
  if (claimed?.earlierId !== undefined) {
    const run = await findStarted(drover.runs, claimed.earlierId, by)
    void reply.header('idempotency-replayed', 'true')
    return run
  }
  try {
    return await drover.runs.start(by, { ...start, runId })
  } catch (error) {
    // The run may have been started: then the same key finds it.
    if (!isFault(error, driveAnswerLost)) await claimed?.release()
    throw error
  }
}

/** The request that took the key may not have started the run yet. */
async function findStarted(runs: RunService, id: string, by: Caller): Promise<DrivenRun> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runs.show(by, id)
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'not_found') throw error
      if (attempt === FIND_ATTEMPTS) throw executionLost({ id, state: 'not stored' })
    }
    await sleep(FIND_EVERY_MS)
  }
}

/** For the access log. */
function noteRun({ facts }: FastifyRequest, { backend, goal }: DrivenRun): void {
  facts.backends = [backend]
  facts.prompts = [goal]
}

const checkMove = requestChecker<MoveBody>('the request', validateMoveBody)
