/**
 * Gives a prompt to another agent if the first one cannot answer: a limit, an outage, a missing login. It happens only before an
 * answer begins, so that no work is done twice and no reader sees two answers.
 */
import { LASTING, OUTAGES, PASSING } from '../agents/adapter/failure.ts'
import { Fault } from '../kit/fault.ts'
import { matchesPattern } from '../kit/match-names.ts'
import { mayUseBackend } from './ceilings.ts'
import type { PromptContext, PromptStream } from './prompt-context.ts'
import type { PromptEvent } from './prompt-event.ts'
import type { PromptRequest } from './prompt-request.ts'
import type { PromptResult } from './prompt-result.ts'

export type NoAnswer = NonNullable<PromptResult['fallback_from']>[number]

type Asked = {
  readonly request: Pick<PromptRequest, 'backend' | 'model' | 'fallback'>
  readonly context: { readonly by: PromptContext['by']; readonly settings: Pick<PromptContext['settings'], 'server'> }
}

/** The agents that may answer in place of the one that is asked, in their order. Those that the caller may not use are left out. */
export function fallbackOf({ request, context: { by, settings } }: Asked): string[] {
  const { backend, model = backend } = request
  const byRule = settings.server.fallback_rules.map((rule) => rule.split('='))
  const named =
    request.fallback ??
    by.fallback ??
    byRule.flatMap(([pattern = '', to = '']) =>
      [model, backend].some((name) => matchesPattern(name, pattern)) ? to : [],
    )
  return [...new Set(named)].filter((each) => each !== backend && mayUseBackend(each, by.ceilings))
}

/** What an agent says before its answer. */
const BEFORE_ANSWER: readonly PromptEvent['type'][] = ['init', 'progress', 'token_usage', 'boundary', 'error', 'done']

/** `start` throws a Fault if the agent cannot run the prompt. */
export async function* runUntilAnswered(
  first: PromptStream,
  others: readonly string[],
  start: (backend: string, missing: NoAnswer) => PromptStream,
): PromptStream {
  const without: NoAnswer[] = []
  const left = [...others]
  let run = first
  for (;;) {
    const { result, held } = yield* holdUntilAnswer(run)
    const missing = held && toNoAnswer(result)
    const next = missing && startNext(left, (backend) => start(backend, missing))
    if (missing !== undefined && next?.run !== undefined) without.push(missing)
    without.push(...(next?.unable ?? []))
    if (next?.run === undefined) {
      yield* held ?? []
      return without.length === 0 ? result : { ...result, fallback_from: without }
    }
    run = next.run
  }
}

/** `held`: the events of a run that ended before its answer began. */
async function* holdUntilAnswer(
  run: PromptStream,
): AsyncGenerator<PromptEvent, { result: PromptResult; held: PromptEvent[] | undefined }, undefined> {
  let held: PromptEvent[] | undefined = []
  try {
    let next = await run.next()
    for (; next.done !== true; next = await run.next()) {
      if (BEFORE_ANSWER.includes(next.value.type) && held !== undefined) {
        held.push(next.value)
        continue
      }
      yield* held ?? []
      held = undefined
      yield next.value
    }
    return { result: next.value, held }
  } finally {
    // The reader may have left.
    await run.return(undefined as never)
  }
}

/** Undefined if another agent would not help, because the failure is that of the agent or of the request. */
function toNoAnswer({ backend, error = '', error_code: code = '' }: PromptResult): NoAnswer | undefined {
  return [...PASSING, ...OUTAGES, ...LASTING].includes(code) ? { backend, error_code: code, error } : undefined
}

/** The next agent that can be started, and those before it that cannot. */
function startNext(left: string[], start: (backend: string) => PromptStream) {
  const unable: NoAnswer[] = []
  for (let backend = left.shift(); backend !== undefined; backend = left.shift()) {
    try {
      return { run: start(backend), unable }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      unable.push({ backend, error_code: error.code, error: error.message })
    }
  }
  return { run: undefined, unable }
}
