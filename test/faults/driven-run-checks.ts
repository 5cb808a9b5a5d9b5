/** What must be true of a driven run that has ended, however often its driver or its agents were killed. */
import type { DriveEvent } from '../../src/drive/record/drive-event.shape.ts'
import { digest } from '../../src/kit/digest.ts'
import { type DrivenCall, dataOf } from '../support/driven-home.ts'

/**
 * Prompts that agents received are what is paid for. Every attempt is recorded before its agent gets the prompt. So every
 * prompt belongs to exactly one attempt: the one with its digest that had begun and not ended then. The agent or the driver
 * of an attempt without a prompt was killed before; the attempt must not look as if its agent had answered.
 */
export function accountingProblems(records: readonly DriveEvent[], calls: readonly DrivenCall[]): string[] {
  const attempts = attemptsIn(records)
  const paid = new Map<number, number>()
  const problems: string[] = []
  for (const { prompt, at, kind } of calls) {
    const sha256 = digest(Buffer.from(prompt))
    const found = attempts.filter((each) => each.sha256 === sha256 && each.from <= at && at <= each.to)
    if (found.length !== 1) problems.push(`${found.length} attempts are shown for the prompt of ${kind} at ${at}`)
    for (const { attempt } of found) paid.set(attempt, (paid.get(attempt) ?? 0) + 1)
  }
  for (const { attempt, how } of attempts) {
    const count = paid.get(attempt) ?? 0
    if (count > 1) problems.push(`attempt ${attempt} was paid ${count} times`)
    if (count === 0 && !['unknown', 'failed'].includes(how))
      problems.push(`attempt ${attempt} is ${how} without a call`)
  }
  return problems
}

/** An agent whose limit a run waits for gets no prompt. */
export function waitProblems(records: readonly DriveEvent[], calls: readonly DrivenCall[]): string[] {
  return records.flatMap(({ type, at, data }) => {
    if (type !== 'waiting_for_limit') return []
    const { backend, until } = data
    const early = calls.filter((call) => call.backend === backend && call.at > at && call.at < until)
    return early.map((call) => `${backend} got a prompt at ${call.at}, while the run waited until ${until}`)
  })
}

type ShownAttempt = { attempt: number; sha256: string; from: string; to: string; how: string }

function attemptsIn(records: readonly DriveEvent[]): ShownAttempt[] {
  return records.flatMap((started) => {
    if (started.type !== 'attempt_started') return []
    const { attempt, prompt_sha256: sha256 } = started.data
    const ended = records.find((each) => each.type === 'attempt_ended' && each.data.attempt === attempt)
    const how = ended?.type === 'attempt_ended' ? ended.data.how : 'without an end'
    return [{ attempt, sha256, from: started.at, to: ended?.at ?? '', how }]
  })
}

/** Attempts, ends, outcomes, checks, evidence and the delivery are recorded once each. */
export function recordProblems(records: readonly DriveEvent[]): string[] {
  const started = dataOf(records, 'attempt_started').map(({ attempt }) => attempt)
  const ended = dataOf(records, 'attempt_ended').map(({ attempt }) => attempt)
  const inOrder = started.map((_, at) => at + 1)
  const keys = {
    'an outcome': dataOf(records, 'outcome_submitted').map(({ action_id }) => action_id),
    'a check': dataOf(records, 'check_ran').map(({ attempt, command }) => `${attempt} ${command}`),
    evidence: dataOf(records, 'evidence').map(({ attempt }) => attempt),
    'the start': dataOf(records, 'drive_started').map(() => ''),
    'the check of the delivery': dataOf(records, 'delivery_checked').map(() => ''),
    'the delivery': dataOf(records, 'delivered').map(() => ''),
  }
  return [
    ...(String(started) === String(inOrder) ? [] : [`the attempts are ${started}`]),
    ...(String(ended) === String(inOrder) ? [] : [`the ends are of the attempts ${ended}`]),
    ...Object.entries(keys).flatMap(([what, all]) =>
      new Set<unknown>(all).size === all.length ? [] : [`${what} is recorded twice`],
    ),
  ]
}
