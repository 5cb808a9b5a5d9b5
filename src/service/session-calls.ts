/** Sessions for everyone who asks. */
import type { SessionTurn } from '../executions/session-turn.shape.ts'
import { findTurns, readTurns } from '../executions/session-turns.ts'
import type { Stores } from '../executions/store/stores.ts'
import { randomIds } from '../kit/ids.ts'
import { type Caller, ownerKey, visibleKeyId } from '../prompts/caller.ts'
import { resumeInvalid } from '../prompts/faults.ts'
import type { ConversationHistory, PromptRequest } from '../prompts/prompt-request.ts'
import type { Session } from '../sessions/session.shape.ts'
import type { VisibleSessions } from '../sessions/session-store.ts'
import type { NextRequest, SessionService } from './drover-service.ts'

export class SessionCalls implements SessionService {
  readonly #stores: () => Promise<Stores>
  readonly #cwd: string

  /** `cwd`: where the first turn of a session works that is prepared now. */
  constructor(stores: () => Promise<Stores>, cwd = process.cwd()) {
    this.#stores = stores
    this.#cwd = cwd
  }

  async of(by: Caller): Promise<VisibleSessions> {
    return (await this.#stores()).sessions.seenBy(visibleKeyId(by))
  }

  async prepare(by: Caller, known: Pick<Session, 'backend' | 'metadata'>): Promise<Session> {
    const client = ownerKey(by)
    return await (await this.#stores()).sessions.prepare({
      ...known,
      working_dir: this.#cwd,
      ...(client !== undefined && { keyId: client.id, api_key: client.name }),
      initial_prompt: '',
      tags: by.is === 'client' ? ['api'] : [],
      policy: { approval_mode: 'default', sandbox_mode: 'default', extra: [] },
    })
  }

  async *turns(by: Caller, named: string): AsyncGenerator<SessionTurn, void, undefined> {
    const { id: session } = await (await this.of(by)).find(named)
    const { executions } = await this.#stores()
    yield* readTurns(executions, await findTurns(executions, { session }))
  }

  async latestTurns(by: Caller, named: string, limit: number): Promise<{ turns: SessionTurn[]; older: number }> {
    const { id: session } = await (await this.of(by)).find(named)
    const { executions } = await this.#stores()
    const ids = await findTurns(executions, { session })
    const older = Math.max(0, ids.length - limit)
    const turns: SessionTurn[] = []
    for await (const turn of readTurns(executions, ids.slice(older))) turns.push(turn)
    return { turns, older }
  }

  async continuing(by: Caller, { id, fork = false, ...request }: NextRequest): Promise<PromptRequest> {
    const sessions = await this.of(by)
    const session = await sessions.find(id)
    const { backend = session.backend } = request
    if (!fork && backend !== session.backend) throw resumeInvalid({ problem: needsFork(session) })
    // Metadata would change the session itself.
    if (!fork && request.metadata !== undefined) await sessions.requireOwn(session.id)
    if (!fork) return { ...request, backend, resumes: session }
    const history = backend === session.backend ? undefined : await this.conversation(by, session)
    return { ...request, backend, forks: session, history }
  }

  async conversation(by: Caller, session: Session): Promise<ConversationHistory> {
    const { carryConversation } = await import('../executions/carry-conversation.ts')
    const { executions } = await this.#stores()
    return await carryConversation(session, { sessions: await this.of(by), executions }, { ids: randomIds })
  }
}

function needsFork({ backend }: Session): string {
  return `the session is one of ${backend}; another backend needs fork: true, which starts a new session`
}
