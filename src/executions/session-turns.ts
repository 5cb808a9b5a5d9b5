/** Reads the turns of a session from its executions, one at a time, because together they may have many megabytes. */
import { describeToolInput } from '../agents/describe-for-people.ts'
import { Fault } from '../kit/fault.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import type { PromptResult } from '../prompts/prompt-result.ts'
import { firstCharacters } from '../sessions/session-texts.ts'
import type { SessionTurn } from './session-turn.shape.ts'
import type { Execution, ExecutionEvent } from './store/execution.shape.ts'
import type { ExecutionStore } from './store/execution-store.ts'
import { executionNotFound } from './store/faults.ts'

type TurnSelection = {
  /** The session. */
  session: string
  /** Only turns that the API key with this id has sent. */
  keyId?: string | undefined
}

const PAGE = 500

/** In one response of the server; `GET /api/v1/executions?session=…` lists all. */
export const MAX_TURNS = 100

/** The ids of the turns that are kept, oldest first. */
export async function findTurns(store: ExecutionStore, { session, keyId }: TurnSelection): Promise<string[]> {
  const ids: string[] = []
  let before: string | undefined
  do {
    const filter = { session, ...(keyId !== undefined && { keyId }), ...(before !== undefined && { before }) }
    const page = await store.list(filter, { limit: PAGE })
    // Without a prompt, the row only shows that the turn runs.
    ids.push(...page.executions.filter(({ prompt_start }) => prompt_start !== undefined).map(({ id }) => id))
    before = page.next
  } while (before !== undefined)
  return ids.reverse()
}

export async function* readTurns(
  store: ExecutionStore,
  ids: readonly string[],
): AsyncGenerator<SessionTurn, void, undefined> {
  for (const id of ids) {
    try {
      const execution = await store.find(id)
      yield { ...toTurn(execution), tools: await readTools(store, id) }
    } catch (error) {
      // It was removed meanwhile, because it is old.
      if (!(error instanceof Fault) || error.code !== executionNotFound.code) throw error
    }
  }
}

async function readTools(store: ExecutionStore, id: string): Promise<SessionTurn['tools']> {
  const tools: SessionTurn['tools'][number][] = []
  for (let after = 0; ; ) {
    const events = await store.events(id, { after, limit: PAGE, type: 'tool_use' })
    tools.push(...events.map(toTool))
    const last = events.at(-1)
    if (last === undefined || events.length < PAGE) return tools
    after = last.seq
  }
}

function toTool({ content }: ExecutionEvent): SessionTurn['tools'][number] {
  return { name: String(content['tool_name']), input: firstCharacters(describeToolInput(content['input'])) }
}

function toTurn(execution: Execution): Omit<SessionTurn, 'tools'> {
  const {
    id,
    state,
    created_at,
    model,
    is_demo,
    prompt = '',
    attachments,
    usage,
    cost_usd,
    cost_kind,
    error,
  } = execution
  const result = execution.result as Partial<PromptResult> | undefined
  const problem = result?.error ?? error?.message
  return withoutUndefined({
    ...{ execution_id: id, state, created_at, duration_ms: result?.duration_ms, model, is_demo, prompt, attachments },
    ...{ answer: result?.output, approvals: result?.approvals, usage, cost_usd, cost_kind, error: problem },
  })
}
