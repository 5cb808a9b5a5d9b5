/** Says once that an agent only tries again. Off a terminal nothing else shows what it does, and some never give up. */
import type { AgentEvent } from '../../agents/adapter/agent.ts'
import { isAnswer, isRetry } from '../../agents/adapter/output-reader.ts'
import { type AgentLocation, lacksLogin } from '../../agents/locate-agents.ts'
import type { Environment } from '../../kit/process/child-environment.ts'
import { toMessage } from '../output/printable.ts'
import { describeAgentEvent } from './describe-activity.ts'
import type { PromptPrinter } from './prompt-printer.ts'

/** Most failures of a model service are over by then. */
const NOTICE_MS = 20_000

export class RetryTimer implements Disposable {
  readonly #say: (line: string) => void
  #timer: NodeJS.Timeout | undefined
  #isSaid = false
  #message = ''

  constructor(say: (line: string) => void) {
    this.#say = say
  }

  /** `name` is the agent's in the notice. */
  note(event: AgentEvent, name: string, findLogin: () => string | undefined): void {
    if (isAnswer(event) || event.type === 'done') this[Symbol.dispose]()
    if (!isRetry(event) || this.#isSaid) return
    this.#message = describeAgentEvent(event) ?? ''
    this.#timer ??= setTimeout(() => {
      this.#isSaid = true
      const login = findLogin()
      const todo = login === undefined ? '' : `; drover sees no login of it: ${login}`
      const problem = `${name} has only been retrying for ${NOTICE_MS / 1000} s`
      this.#say(`drover: ${problem}: ${toMessage(this.#message)}${todo}\n`)
    }, NOTICE_MS).unref()
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

/** How to log in to the agent, if drover sees no login. */
export function missingLogin(located: AgentLocation | undefined, env: Environment): string | undefined {
  return located !== undefined && lacksLogin(located, env) ? located.agent.login : undefined
}

export function withRetryNotice(
  printer: PromptPrinter,
  { backend, findLogin, say }: { backend: string; findLogin: () => string | undefined; say: (line: string) => void },
): PromptPrinter {
  const notice = new RetryTimer(say)
  return {
    ...printer,
    event: async (event) => {
      notice.note(event, backend, findLogin)
      return await printer.event(event)
    },
    close: async () => {
      notice[Symbol.dispose]()
      await printer.close?.()
    },
  }
}
