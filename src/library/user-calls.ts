/** The sessions, executions and driven runs of the user, for a program: also those of other processes. */

import { realpathSync } from 'node:fs'
import type { DrivenRuns } from '../drive/service/driven-runs.ts'
import type { RunListQuery } from '../drive/service/run-reader.ts'
import { systemClock, toTimestamp } from '../kit/clock.ts'
import { orUndefined } from '../kit/fault.ts'
import { checker } from '../kit/schema.ts'
import { USER } from '../prompts/caller.ts'
import type { AnswerBody, ReportQuery, RunQuery } from '../service/run-requests.shape.ts'
import type { SessionEdit, SessionFilter } from '../sessions/session-store.ts'
import {
  validateDiffQuery,
  validateExecutionQuery,
  validateReportQuery,
  validateRunAnswer,
  validateRunQuery,
  validateSessionChange,
  validateSessionQuery,
} from './checks.generated.js'
import { throwingDroverErrors, toDroverError } from './drover-error.ts'
import type { Instance } from './instance.ts'
import { refuseUnknownOptions } from './known-options.ts'
import type { DrivenRunEvent, SessionTurn } from './messages.generated.ts'
import type { DiffSearch, ExecutionSearch, SessionSearch } from './requests.shape.ts'
import type { FollowOptions, Sessions, UserExecutions, UserRuns } from './types.ts'

const LIST_LIMIT = 100

const checkSessionQuery = checker<SessionSearch>('the query', validateSessionQuery)
const checkChange = checker<SessionEdit>('the change', validateSessionChange)

export function sessionCalls(instance: Instance): Sessions {
  const sessions = async () => (await instance.open()).drover.sessions
  const store = async () => await (await sessions()).of(USER)
  return {
    list: (query = {}) =>
      throwingDroverErrors(async () => {
        const { limit = LIST_LIMIT, offset = 0, ...filter } = checkSessionQuery(query)
        return await (await store()).list(toFilter(filter), { limit, offset })
      }),
    get: (id) => throwingDroverErrors(async () => await (await store()).find(id)),
    edit: (id, change) => throwingDroverErrors(async () => await (await store()).edit(id, checkChange(change))),
    delete: (id) => throwingDroverErrors(async () => await (await store()).delete(id)),
    turns: (id) =>
      throwingDroverErrors(async () => {
        const turns: SessionTurn[] = []
        for await (const turn of (await sessions()).turns(USER, id)) turns.push(turn)
        return turns
      }),
  }
}

function toFilter({ resumable, workdir, ...filter }: Omit<SessionSearch, 'limit' | 'offset'>): SessionFilter {
  return {
    ...filter,
    ...(resumable === true && { isResumable: true }),
    ...(workdir !== undefined && { workdir: resolved(workdir) }),
  }
}

/** Sessions have the directory with links resolved. One that is gone has its name. */
function resolved(path: string): string {
  return orUndefined(() => realpathSync(path)) ?? path
}

const checkExecutionQuery = checker<ExecutionSearch>('the query', validateExecutionQuery)

export function executionCalls(instance: Instance): UserExecutions {
  const executions = async () => (await instance.open()).drover.executions
  return {
    list: (query = {}) =>
      throwingDroverErrors(async () => {
        const { limit = LIST_LIMIT, ...filter } = checkExecutionQuery(query)
        return await (await executions()).list(USER, filter, { limit })
      }),
    get: (id) => throwingDroverErrors(async () => await (await executions()).find(USER, id)),
    cancel: (id) => throwingDroverErrors(async () => await (await executions()).cancel(USER, id)),
    follow: (id, options) => followEach(instance, options, async (from) => (await executions()).follow(USER, id, from)),
  }
}

const checkRunQuery = checker<RunQuery>('the query', validateRunQuery)
const checkDiff = checker<DiffSearch>('the query', validateDiffQuery)
const checkReport = checker<ReportQuery>('the query', validateReportQuery)
const checkAnswer = checker<AnswerBody>('the answer', validateRunAnswer)

const RUN_LIMIT = 50
const DAY_MS = 86_400_000

/** The change half of drover is loaded by the first call. */
export function runCalls(instance: Instance): UserRuns {
  let opened: Promise<DrivenRuns> | undefined
  const open = async () => {
    const parts = await instance.open()
    opened ??= import('./runs-in-program.ts').then(({ openRuns }) => openRuns(instance, parts))
    return await opened
  }
  const call = <R>(work: (runs: DrivenRuns) => Promise<R>) => throwingDroverErrors(async () => work(await open()))
  return {
    list: (query = {}) => call((runs) => runs.list(USER, toListQuery(checkRunQuery(query)))),
    get: (id) => call((runs) => runs.show(USER, id)),
    diff: (id, query = {}) =>
      call((runs) => {
        const { files_only: filesOnly = false, ...part } = checkDiff(query)
        return runs.diff(USER, id, { ...part, filesOnly })
      }),
    report: (query = {}) =>
      call((runs) => {
        const { since } = checkReport(query)
        const from = since === undefined ? systemClock.now().getTime() - DAY_MS : Date.parse(since)
        return runs.report(USER, toTimestamp(new Date(from)))
      }),
    follow: (id, options) =>
      followEach(instance, options, async (from) => {
        const { events } = await (await open()).follow(USER, id, from)
        return events as AsyncGenerator<DrivenRunEvent[], void, undefined>
      }),
    answer: (id, answer) =>
      call((runs) => {
        const { text, action_id: actionId } = checkAnswer(answer)
        return runs.answer(USER, id, { text, actionId })
      }),
    stop: (id) => call((runs) => runs.stop(USER, id)),
  }
}

function toListQuery({ limit = RUN_LIMIT, state, ...query }: RunQuery): RunListQuery {
  return { ...query, ...(state !== undefined && { states: state.split(',') }), limit }
}

type From = { after: number; signal: AbortSignal }

/** The events of something, one at a time, until its end. It does not end when its reader stops. */
async function* followEach<E>(
  instance: Instance,
  options: FollowOptions = {},
  open: (from: From) => Promise<AsyncGenerator<readonly E[], void, undefined>>,
): AsyncGenerator<E, void, undefined> {
  const stopped = new AbortController()
  const signal = AbortSignal.any([instance.signal, stopped.signal, ...(options.signal ? [options.signal] : [])])
  try {
    refuseUnknownOptions('follow', options)
    for await (const events of await open({ after: options.after ?? 0, signal })) yield* events
  } catch (error) {
    throw toDroverError(error)
  } finally {
    stopped.abort()
  }
}
