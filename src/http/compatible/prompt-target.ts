/**
 * The compatible APIs are stateless, and agents work in the server's directory. Two headers change that for a request:
 * `X-Drover-Session` stores a session (`new`) or continues one (its id), and `X-Drover-Workdir` names the directory.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { type Backend, NATIVE_BACKENDS } from '../../agents/adapter/agent.ts'
import type { JsonRecord } from '../../agents/adapter/json-fields.ts'
import { messageInvalid } from '../../kit/faults.ts'
import { matchesPattern } from '../../kit/match-names.ts'
import { toConversation, type WireContent, type WireMessage } from '../../prompts/chat-messages.ts'
import type { OfferedTools, PromptRequest } from '../../prompts/prompt-request.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { VisibleSessions } from '../../sessions/session-store.ts'
import { sessionBackendDiffers } from '../errors/faults.ts'

export type PromptTarget = {
  storesSession: boolean
  /** The session to continue. */
  session?: Session
  /** The request has only what is new in the session, never the whole conversation. */
  sendsOnlyNew?: boolean
  workdir?: string
  /** By a header; else the body or the name of the model says so. */
  agentTools?: 'all' | 'none'
}

/** Throws a Fault if the sender sees no such session. The directory is checked when the prompt runs. */
export async function readTarget(
  headers: IncomingHttpHeaders,
  sessions: Pick<VisibleSessions, 'find'>,
): Promise<PromptTarget> {
  const wanted = decodeHeader(headers['x-drover-session'])
  const workdir = decodeHeader(headers['x-drover-workdir'])
  const agentTools = headers['x-drover-agent-tools']
  if (agentTools !== undefined && agentTools !== 'all' && agentTools !== 'none')
    throw messageInvalid({
      message: 'the header X-Drover-Agent-Tools',
      problems: [{ path: '$', rule: 'must be all or none' }],
    })
  return {
    storesSession: wanted !== undefined,
    ...(wanted !== undefined && wanted !== 'new' && { session: await sessions.find(wanted) }),
    ...(workdir !== undefined && { workdir }),
    ...(agentTools !== undefined && { agentTools }),
  }
}

/** Node decodes headers as Latin-1, but paths are UTF-8. */
function decodeHeader(header: string | readonly string[] | undefined): string | undefined {
  return header === undefined ? undefined : Buffer.from(String(header), 'latin1').toString('utf8')
}

/** A session is continued by its own backend. A model that selects none leaves the model of the session. */
export function chooseInSession(choice: ChosenBackend, model: string, { session }: PromptTarget): ChosenBackend {
  if (session === undefined) return choice
  if (choice.isDefault) return { backend: session.backend, ...(choice.isPlain && { isPlain: true }) }
  if (choice.backend === session.backend) return choice
  throw sessionBackendDiffers({ id: session.id, backend: session.backend, model, selected: choice.backend })
}

/** The fields that both APIs have. `system` is the system prompt of a request that has it outside of its messages. */
export type CompatibleRequest = {
  model: string
  messages: readonly WireMessage[]
  /** The field of the request that has them, if it is not called `messages`. */
  list?: string
  system?: WireContent | null | undefined
  dry_run?: boolean | null | undefined
  /** What the answer must match. */
  outputSchema?: JsonRecord | undefined
  clientTools?: OfferedTools | undefined
  agent_tools?: 'all' | 'none' | null | undefined
}

/** The prompt for a request. It is ephemeral unless the client asks for a session. */
export function toPromptRequest(
  request: CompatibleRequest,
  { backend, model, isPlain, takesImages = true }: ChosenBackend,
  { session, storesSession, sendsOnlyNew = false, workdir, agentTools }: PromptTarget,
): PromptRequest {
  const isContinued = session !== undefined
  const { prompt, systemPrompt, attachments } = toConversation(request.messages, request.system ?? undefined, {
    takesImages,
    knowsAnswers: isContinued && !sendsOnlyNew,
    list: request.list ?? 'messages',
  })
  // The session has its system prompt already.
  const tools = agentTools ?? request.agent_tools ?? (isPlain && 'none')
  const isNewSystemPrompt = systemPrompt !== undefined && systemPrompt !== session?.system_prompt
  return {
    backend,
    ...(model !== undefined && { model }),
    prompt,
    ...(attachments !== undefined && { attachments }),
    ...(isNewSystemPrompt && { system_prompt: systemPrompt }),
    ...(workdir !== undefined && { workdir }),
    ...(request.outputSchema !== undefined && { output_schema: request.outputSchema }),
    ...(request.clientTools !== undefined && { clientTools: request.clientTools }),
    ...(tools && { agent_tools: tools }),
    ...(isContinued && { resumes: session }),
    ephemeral: !storesSession,
    dry_run: request.dry_run === true,
  }
}

/** A name, in which `*` stands for any text, and a backend: `o3-*=codex`. Case does not matter. */
type ModelRule = string

export type ChosenBackend = {
  backend: Backend
  /** Without it the agent uses the model that it is configured with. */
  model?: string
  /** Undefined: it is not known. */
  takesImages?: boolean
  /** No rule matched, so the default backend answers. */
  isDefault?: true
  /** The name ends in `:model`: the tools of the agent are switched off. */
  isPlain?: true
}

/** These come before the rules of the configuration, and they see the name with its vendor. */
const FIXED_RULES: readonly ModelRule[] = ['*claude*=claude', '*gpt*=codex', '*gemini*=gemini']

type Settings = {
  names: readonly Backend[]
  /** `server.model_rules` */
  rules: readonly ModelRule[]
  /** Whether the backend has an alias of this name. It is resolved when the prompt runs. */
  isAlias(backend: Backend, name: string): boolean
}

/**
 * The name of a backend is not the name of a model. `name/model` is a model of a backend that the config defines; for the
 * native ones what comes before the slash is a vendor. Otherwise the first rule that matches decides.
 */
export function chooseBackend(name: string, settings: Settings): ChosenBackend {
  const bare = name.endsWith(PLAIN) ? name.slice(0, -PLAIN.length) : ''
  return bare === '' ? chooseByName(name, settings) : { ...chooseByName(bare, settings), isPlain: true }
}

const PLAIN = ':model'

function chooseByName(name: string, { names, rules, isAlias }: Settings): ChosenBackend {
  const backendNamed = (word: string) => names.find((known) => known === word.toLowerCase())
  const named = backendNamed(name)
  if (named !== undefined) return { backend: named }
  const prefixed = splitPrefix(name, names)
  if (prefixed !== undefined) return prefixed
  const bare = withoutVendor(name)
  const matched = matchRules(name, FIXED_RULES) ?? backendNamed(bare) ?? matchRules(bare, rules)
  const backend = matched === undefined ? undefined : backendNamed(matched)
  if (backend === undefined) return { backend: NATIVE_BACKENDS[0], isDefault: true }
  if (backendNamed(bare) === backend) return { backend }
  return { backend, model: isAlias(backend, name) ? name : bare }
}

/** `opencode/anthropic/claude-sonnet-4` is the model after the first slash. A rest that no agent takes is not a model. */
function splitPrefix(name: string, names: readonly Backend[]): ChosenBackend | undefined {
  const slash = name.indexOf('/')
  const [prefix, model] = [name.slice(0, Math.max(slash, 0)).toLowerCase(), name.slice(slash + 1)]
  const isDefined = names.includes(prefix) && !NATIVE_BACKENDS.some((native) => native === prefix)
  if (!isDefined || model === '' || model.startsWith('-')) return undefined
  return { backend: prefix, model }
}

/** `openai/gpt-5` without `openai/`. A rest that no agent would take as a model is not split off. */
function withoutVendor(name: string): string {
  const bare = name.slice(name.lastIndexOf('/') + 1)
  return bare === '' || bare.startsWith('-') ? name : bare
}

function matchRules(name: string, rules: readonly ModelRule[]): Backend | undefined {
  for (const rule of rules) {
    const [pattern = '', backend = ''] = rule.split('=')
    if (matchesPattern(name, pattern)) return backend
  }
  return undefined
}
