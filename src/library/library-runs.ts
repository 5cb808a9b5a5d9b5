/** The driven runs of the user, for a program: also those of other processes. The change half of drover is loaded by the first call. */
import type { DrivenRuns } from '../drive/service/driven-runs.ts'
import type { RunListQuery } from '../drive/service/run-reader.ts'
import { systemClock, toTimestamp } from '../kit/clock.ts'
import { checker } from '../kit/schema.ts'
import { USER } from '../prompts/caller.ts'
import type { AnswerBody, ReportQuery, RunQuery } from '../service/run-requests.shape.ts'
import { validateDiffQuery, validateReportQuery, validateRunAnswer, validateRunQuery } from './checks.generated.js'
import { throwingDroverErrors } from './drover-error.ts'
import { followEach } from './follow-each.ts'
import type { Instance } from './instance.ts'
import type { DiffSearch } from './requests.shape.ts'
import type { UserRuns } from './types.ts'

const checkQuery = checker<RunQuery>('the query', validateRunQuery)
const checkDiff = checker<DiffSearch>('the query', validateDiffQuery)
const checkReport = checker<ReportQuery>('the query', validateReportQuery)
const checkAnswer = checker<AnswerBody>('the answer', validateRunAnswer)

const DEFAULT_LIMIT = 50
const DAY_MS = 86_400_000

export function runCalls(instance: Instance): UserRuns {
  let opened: Promise<DrivenRuns> | undefined
  const open = async () => {
    const parts = await instance.open()
    opened ??= import('./runs-in-program.ts').then(({ openRuns }) => openRuns(instance, parts))
    return await opened
  }
  const call = <R>(work: (runs: DrivenRuns) => Promise<R>) => throwingDroverErrors(async () => work(await open()))
  return {
    list: (query = {}) => call((runs) => runs.list(USER, toListQuery(checkQuery(query)))),
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
      followEach(instance, options, async (from) => (await (await open()).follow(USER, id, from)).events),
    answer: (id, answer) =>
      call((runs) => {
        const { text, action_id: actionId } = checkAnswer(answer)
        return runs.answer(USER, id, { text, actionId })
      }),
    stop: (id) => call((runs) => runs.stop(USER, id)),
  }
}

function toListQuery({ limit = DEFAULT_LIMIT, state, ...query }: RunQuery): RunListQuery {
  return { ...query, ...(state !== undefined && { states: state.split(',') }), limit }
}
