/** Reads the frames of one turn. */

import type { AcpProfile } from '../adapter/acp-profile.ts'
import type { AgentEvent, Denial, Usage } from '../adapter/agent.ts'
import type { AgentFailure } from '../adapter/failure.ts'
import { type JsonRecord, objectAt, textAt } from '../adapter/json-fields.ts'
import { type AgentOutput, initEvent, type OutputSummary } from '../adapter/output-reader.ts'
import { NO_USAGE, usageEvents } from '../adapter/token-usage.ts'
import { failureOfError, judgeTurn } from './turn-end.ts'
import { TurnUpdates } from './updates.ts'
import { usageOfTurn } from './usage.ts'

/** The method of a frame that drover makes itself: the session of the turn is open. */
export const OPENED = 'drover/opened'
/** The field of a result in which drover puts the tokens that it has counted itself. */
export const COUNTED = 'drover/counted'
/** The field of a result in which drover puts what the turn has cost in US dollars. */
export const COST = 'drover/cost'

type Options = {
  backend: string
  profile: AcpProfile
  priorUsage: Usage | undefined
  /** What is known first-hand about the commands that drover ran for the agent. */
  findEvidence?: ConstructorParameters<typeof TurnUpdates>[1]
}

export class AcpOutput implements AgentOutput {
  readonly backend: string
  readonly isFramed = true
  readonly updates: TurnUpdates
  readonly denials: Denial[] = []
  readonly warnings: string[] = []
  readonly #options: Options
  #session: { id: string; isResumable: boolean } | undefined
  #usage: Usage = NO_USAGE
  #threadUsage: Usage | undefined
  #costUsd: number | undefined
  #outcome: 'success' | AgentFailure | undefined

  constructor(options: Options) {
    this.#options = options
    this.backend = options.backend
    this.updates = new TurnUpdates(options.profile, options.findEvidence)
  }

  /** An update, a request for permission, or the response to the prompt. Everything else is skipped. */
  read(frame: JsonRecord): AgentEvent[] | undefined {
    const params = objectAt(frame, 'params')
    switch (textAt(frame, 'method')) {
      case 'session/update':
        return this.#readUpdate(params)
      case 'session/request_permission':
        return this.updates.announce(objectAt(params, 'toolCall') ?? {})
      case OPENED:
        return [this.#readOpened(params)]
      default:
        return this.#readResponse(frame)
    }
  }

  /** An id is only reported if the session can be continued. */
  #readOpened(params: JsonRecord | undefined): AgentEvent {
    const session = { id: textAt(params, 'sessionId') ?? '', isResumable: params?.['isResumable'] === true }
    this.#session = session
    return initEvent({ model: textAt(params, 'model'), sessionId: session.isResumable ? session.id : undefined })
  }

  #readResponse(frame: JsonRecord): AgentEvent[] | undefined {
    if (frame['error'] !== undefined) return this.#readError(frame['error'])
    const result = objectAt(frame, 'result')
    return result === undefined ? undefined : this.#readResult(result)
  }

  /** Updates of another session of the same process are not of this turn. */
  #readUpdate(params: JsonRecord | undefined): AgentEvent[] {
    const update = objectAt(params, 'update')
    const sessionId = textAt(params, 'sessionId')
    if (update === undefined || (sessionId !== undefined && sessionId !== this.#session?.id)) return []
    return this.updates.read(update)
  }

  #readResult(result: JsonRecord): AgentEvent[] {
    const { backend, profile, priorUsage: prior } = this.#options
    const { perRequest, ...said } = this.updates.summary()
    const own = result[COUNTED] as Usage | undefined
    const counted = own !== undefined ? { usage: own } : usageOfTurn({ profile, result, perRequest, prior, backend })
    this.#usage = counted.usage
    this.#costUsd = (result[COST] as number | undefined) || undefined
    this.#threadUsage = 'threadUsage' in counted ? counted.threadUsage : undefined
    if ('warning' in counted && counted.warning !== undefined) this.warnings.push(counted.warning)
    const wasDenied = this.denials.length > 0
    this.#outcome = judgeTurn({ backend, profile, result, wasDenied, ...said })
    return [...this.updates.finish(), ...usageEvents(this.#usage)]
  }

  /** Undefined for agents that count in another way: their chunks may have other counts. */
  usageSoFar(): Usage | undefined {
    return this.#options.profile.usage === 'per-request' ? this.updates.summary().perRequest : undefined
  }

  #readError(error: unknown): AgentEvent[] {
    this.#usage = this.updates.summary().perRequest ?? NO_USAGE
    this.#outcome = failureOfError(error, this.#options)
    return this.updates.finish()
  }

  summary(): OutputSummary {
    const { text, context } = this.updates.summary()
    return {
      text,
      context,
      usage: this.#usage,
      threadUsage: this.#threadUsage,
      costUsd: this.#costUsd,
      sessionId: this.#session?.isResumable ? this.#session.id : undefined,
      outcome: this.#outcome,
      denials: this.denials,
      warnings: this.warnings,
    }
  }
}
