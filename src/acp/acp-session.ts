/** A conversation with an editor: the choices of its user, and the session of drover that it resumes. */
import type {
  AgentQuestion,
  ApprovalRequest,
  AttributedReply,
  Backend,
  ContextUsage,
  OnApproval,
} from '../agents/adapter/agent.ts'
import { type JsonRecord, objectAt, textAt } from '../agents/adapter/json-fields.ts'
import { errorCode, Fault, orUndefined } from '../kit/fault.ts'
import { fenceText } from '../kit/foreign-text.ts'
import { randomIds } from '../kit/ids.ts'
import type { Caller } from '../prompts/caller.ts'
import type { Attachment } from '../prompts/prompt-request.shape.ts'
import type { PromptRequest } from '../prompts/prompt-request.ts'
import type { PromptResult } from '../prompts/prompt-result.ts'
import type { InProcessDrover } from '../service/in-process.ts'
import { sessionAmbiguous, sessionNotFound } from '../sessions/faults.ts'
import type { Session } from '../sessions/session.shape.ts'
import { isResumable } from '../sessions/session-changes.ts'
import { newSessionId } from '../sessions/session-id.ts'
import type { VisibleSessions } from '../sessions/session-store.ts'
import type { ContentBlock } from './acp-requests.shape.ts'
import { acpContentUnsupported, acpSessionBusy } from './faults.ts'
import { type ChosenMode, modeRequest } from './session-options.ts'
import { EditorUpdates, toUsageUpdate } from './session-updates.ts'

/** The session that an editor resumes under the id of an earlier one, because its user chose another backend. */
const CONTINUED_BY = 'acp_continued_by'

const NOT_ONE_SESSION: readonly string[] = [sessionNotFound.code, sessionAmbiguous.code]

/** What the session needs of the connection. */
export type Editor = {
  update(sessionId: string, update: object): Promise<void>
  ask(
    sessionId: string,
    question: { toolCall: object; request: ApprovalRequest },
    signal: AbortSignal,
  ): Promise<AttributedReply>
}

/** Drover, and for whom it works. */
export type Served = { drover: EditorDrover; by: Caller }

/** What an editor needs of drover. */
type EditorDrover = Pick<InProcessDrover, 'prompts' | 'sessions' | 'agents' | 'contextFor'>

/** What the user of the editor has sent. */
type AskedPrompt = ReturnType<typeof readPrompt>

type Parts = { served: Served; editor: Editor; cwd: string; directories: readonly string[]; choice: ChosenMode }

export class AcpSession {
  readonly id: string
  choice: ChosenMode
  /** Where its agents work besides the working directory. */
  directories: readonly string[]
  readonly #served: Served
  readonly #editor: Editor
  readonly #cwd: string
  /** The stored session, after its first turn. */
  #stored: Session | undefined
  #turns = 0
  /** Of all turns; undefined if the cost of one is not known. */
  #costUsd: number | undefined
  #running: { cancel: AbortController; ended: Promise<unknown> } | undefined

  constructor(id: string, { served, editor, cwd, directories, choice }: Parts, stored?: Session) {
    this.id = id
    this.choice = choice
    this.#served = served
    this.#editor = editor
    this.#cwd = cwd
    this.directories = directories
    this.#stored = stored
    this.#costUsd = stored === undefined ? 0 : undefined
  }

  /** Throws a Fault if a prompt still runs. */
  async prompt(asked: AskedPrompt): Promise<PromptResult> {
    if (this.#running !== undefined) throw acpSessionBusy({})
    const cancel = new AbortController()
    const turn = this.#turn(asked, cancel.signal)
    this.#running = { cancel, ended: turn.catch(() => undefined) }
    try {
      return await turn
    } finally {
      this.#running = undefined
    }
  }

  cancel(): void {
    this.#running?.cancel.abort()
  }

  /** Ends the prompt that runs, and waits until its turn is stored. */
  async end(): Promise<void> {
    this.cancel()
    await this.#running?.ended
  }

  async #turn(prompt: AskedPrompt, signal: AbortSignal): Promise<PromptResult> {
    const request = await this.#toRequest(prompt)
    this.#turns += 1
    const updates = new EditorUpdates(`${this.#turns}-`)
    const onApproval: OnApproval = (asked, takenBack = signal) => {
      const isOver = AbortSignal.any([signal, takenBack])
      return this.#editor.ask(this.id, { toolCall: updates.ofApproval(asked), request: asked }, isOver)
    }
    const { drover, by } = this.#served
    const run = (await drover.prompts.start(by, request, { signal, onApproval })).events()
    let next = await run.next()
    let context: ContextUsage | undefined
    for (; next.done !== true; next = await run.next()) {
      if (next.value.type === 'done') context = next.value.content.context
      const update = updates.of(next.value)
      if (update !== undefined) await this.#editor.update(this.id, update)
    }
    this.#costUsd = addCost(this.#costUsd, next.value.cost_usd)
    if (context !== undefined) await this.#editor.update(this.id, toUsageUpdate(context, this.#costUsd))
    await this.#noteSession(next.value)
    return next.value
  }

  async #toRequest({ text, attachments }: AskedPrompt): Promise<PromptRequest> {
    const { backend, mode } = this.choice
    const asked = {
      prompt: text,
      attachments,
      backend,
      ...modeRequest(mode),
      additional_directories: [...this.directories],
      wantsDeltas: true,
    }
    const stored = this.#stored
    if (stored === undefined) return { ...asked, workdir: this.#cwd, newSessionId: this.id }
    if (stored.backend === backend && isResumable(stored)) return { ...asked, resumes: stored }
    // Another agent, or one that has lost its session, is told the conversation.
    return { ...asked, forks: stored, history: await this.#history(stored) }
  }

  /** Undefined if nothing of the conversation is kept. */
  async #history(session: Session): Promise<PromptRequest['history']> {
    const { drover, by } = this.#served
    try {
      return await drover.sessions.conversation(by, session)
    } catch (error) {
      if (error instanceof Fault) return undefined
      throw error
    }
  }

  async #noteSession({ session_id: id }: PromptResult): Promise<void> {
    if (id === '') return
    const { drover, by } = this.#served
    const store = await drover.sessions.of(by)
    const before = this.#stored
    this.#stored = await store.find(id)
    if (before !== undefined && before.id !== id) await store.edit(before.id, { metadata: { [CONTINUED_BY]: id } })
  }
}

function addCost(sum: number | undefined, more: number | undefined): number | undefined {
  return sum === undefined || more === undefined ? undefined : Math.round((sum + more) * 1e9) / 1e9
}

export function newAcpSessionId(): string {
  return newSessionId(randomIds)
}

/** The sessions that an editor knows by one id, oldest first. None if the first one does not exist. */
export async function findContinued(id: string, { drover, by }: Served): Promise<Session[]> {
  const store = await drover.sessions.of(by)
  const found: Session[] = []
  let next: unknown = id
  while (typeof next === 'string' && !found.some((session) => session.id === next)) {
    const session: Session | undefined = await findWhole(next, store)
    if (session === undefined) break
    found.push(session)
    next = session.metadata[CONTINUED_BY]
  }
  return found
}

/** An editor knows whole ids only: the beginning of one is another session. */
async function findWhole(id: string, store: VisibleSessions): Promise<Session | undefined> {
  try {
    const session = await store.find(id)
    return session.id === id ? session : undefined
  } catch (error) {
    if (NOT_ONE_SESSION.includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

export function lastBackend(sessions: readonly Session[], otherwise: Backend): Backend {
  return sessions.at(-1)?.backend ?? otherwise
}

export function toSessionInfo(session: Session): object {
  const { id, working_dir: cwd, title, initial_prompt: prompt, last_used: updatedAt, policy } = session
  const { additional_directories: additionalDirectories } = policy
  const more = additionalDirectories !== undefined && { additionalDirectories }
  return { sessionId: id, cwd, title: title ?? prompt.split('\n', 1)[0] ?? '', updatedAt, ...more }
}

/**
 * The content of a prompt as one text: links by their address, files between fences that nothing in them can close, images and
 * documents by their number. Pure.
 */
export function readPrompt(blocks: readonly ContentBlock[]): { text: string; attachments: Attachment[] } {
  const attachments: Attachment[] = []
  const texts = blocks.map((block) => {
    const file = readFile(block)
    if (file === undefined) return toText(block)
    attachments.push(file)
    return `[attachment ${attachments.length}: ${file.media_type ?? 'file'}]`
  })
  return { text: texts.join('\n\n'), attachments }
}

function readFile({ type, data, mimeType, resource }: ContentBlock): Attachment | undefined {
  const content = type === 'image' ? data : type === 'resource' ? resource?.blob : undefined
  const said = (type === 'image' ? mimeType : resource?.mimeType) ?? undefined
  if (content === undefined) return undefined
  return { data: content, ...(said !== undefined && { media_type: said }) }
}

function toText({ type, text, uri, name, resource }: ContentBlock): string {
  if (type === 'text' && text !== undefined) return text
  if (type === 'resource_link' && uri !== undefined) return `${name ?? 'See'}: ${toPath(uri)}`
  if (type === 'resource' && resource?.text !== undefined) return fenceText(toPath(resource.uri), resource.text)
  throw acpContentUnsupported({ type: type === 'resource' ? 'resource without text' : type })
}

/** Agents read files by their path. */
function toPath(uri: string): string {
  const path = /^file:\/\/(\/[^?#]*)/.exec(uri)?.[1]
  return path === undefined ? uri : (orUndefined(() => decodeURIComponent(path)) ?? uri)
}

/** Questions of an agent as a form of the editor, and what its user has filled in. Pure. */
export type AskedForm = Pick<ApprovalRequest, 'reason'> & { questions: readonly AgentQuestion[] }

const fieldOf = (at: number) => `answer_${at + 1}`

/** The parameters of `elicitation/create`. */
export function toForm({ reason, questions }: AskedForm): JsonRecord {
  const required = questions.flatMap(({ is_optional: isOptional }, at) => (isOptional ? [] : [fieldOf(at)]))
  const properties = Object.fromEntries(questions.map((question, at) => [fieldOf(at), toField(question)]))
  const message = reason ?? questions.map(({ text }) => text).join('\n')
  return { mode: 'form', message, requestedSchema: { type: 'object', properties, required } }
}

/** Where any text is an answer, the options are named in the description: a form has a choice or a text. */
function toField(agentQuestion: AgentQuestion): JsonRecord {
  const { text, options, takes_several: takesSeveral, takes_text: takesText, takes } = agentQuestion
  const title = text
  if (takes !== undefined) return { type: takes, title }
  const labels = options.map(({ label, description }) => (description ? `${label} (${description})` : label))
  if (options.length === 0) return { type: 'string', title }
  if (takesText === true) return { type: 'string', title, description: `For example: ${labels.join('; ')}` }
  const titled = options.map(({ label }, at) => ({ const: label, title: labels[at] }))
  return takesSeveral ? { type: 'array', title, items: { anyOf: titled } } : { type: 'string', title, oneOf: titled }
}

/** Undefined: the user has not answered. */
export function readForm({ questions }: AskedForm, answer: JsonRecord): string[][] | undefined {
  const content = objectAt(answer, 'content')
  if (textAt(answer, 'action') !== 'accept' || content === undefined) return undefined
  return questions.map((_, at) => {
    const given = content[fieldOf(at)]
    return (Array.isArray(given) ? given : given === undefined || given === null ? [] : [given]).map(String)
  })
}
