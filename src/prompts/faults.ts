import { howToAdd } from '../agents/acp/known-agents.ts'
import { defineFault } from '../kit/fault.ts'
import { nearestWord } from '../kit/match-names.ts'

export const backendNotFound = defineFault('backend_not_found', 'invalid', {
  when: 'A request names a backend that does not exist.',
  message: (d: { backend: string; known: readonly string[] }) => {
    const nearest = nearestWord(d.backend, d.known)
    const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`
    const add = howToAdd(d.backend)
    return `no backend ${JSON.stringify(d.backend)}; ${add === undefined ? '' : `${add}, or `}use ${d.known.join(', ')}${meant}`
  },
})

export const backendNotAllowed = defineFault('backend_not_allowed', 'unauthorized', {
  when: 'The `backends` of an API key do not have the agent that a request would use: the one it names, the default, that of its session or of its run, or one of its fallbacks. HTTP status 403.',
  message: (d: { backend: string; names: readonly string[]; setting: string }) =>
    `the agent ${JSON.stringify(d.backend)} cannot be used: ${d.setting} does not have it; use ${d.names.join(', ')}`,
})

export const mcpServerUnknown = defineFault('mcp_server_unknown', 'invalid', {
  when: 'A request names an MCP server that `mcp_servers` of the config does not define, or that the caller may not use.',
  message: (d: { name: string; known: readonly string[] }) => {
    const nearest = nearestWord(d.name, d.known)
    const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`
    const known = d.known.length === 0 ? 'define it under mcp_servers in the config' : `use ${d.known.join(', ')}`
    return `no MCP server ${JSON.stringify(d.name)}; ${known}${meant}`
  },
})

export const mcpServerRefused = defineFault('mcp_server_refused', 'invalid', {
  when: 'A request names an MCP server that the ceiling of its API key does not have.',
  message: (d: { name: string; setting: string }) =>
    `the MCP server ${JSON.stringify(d.name)} cannot be used: ${d.setting} does not have it`,
})

export const nestingTooDeep = defineFault('nesting_too_deep', 'invalid', {
  when: 'An agent that drover started called drover itself, and the call is nested more deeply than `server.max_nesting` allows.',
  message: (d: { depth: number; limit: number }) =>
    `drover was called at nesting depth ${d.depth} by an agent it started, but server.max_nesting is ${d.limit}; do the work yourself, or raise server.max_nesting`,
})

export const workdirNotAllowed = defineFault('workdir_not_allowed', 'invalid', {
  when: 'The working directory is not an absolute path, is not a directory, or is not allowed for agents.',
  message: (d: { workdir: string; problem: string }) => `the working directory ${d.workdir} ${d.problem}`,
})

export const sandboxRequired = defineFault('sandbox_required', 'invalid', {
  when: 'A request turns the sandbox off, although the settings, its API key or its approval mode require one.',
  message: (d: { by: string }) => `the sandbox cannot be turned off: ${d.by} requires it`,
})

export const clientToolsExpired = defineFault('client_tools_expired', 'unavailable', {
  when: 'An agent called a function of its client, and the client did not send the result within `server.tool_wait_secs`. A later request with the result repeats the conversation in a new session.',
  message: (d: { seconds: number }) => `the client did not send the results of its functions within ${d.seconds} s`,
})

export const clientToolsCrowded = defineFault('client_tools_crowded', 'unavailable', {
  when: 'An agent called a function of its client, and more turns than `server.max_waiting_turns` wait for such results. The oldest turn of the client that has most of them ends. A later request with the result repeats the conversation in a new session.',
  message: (d: { limit: number }) =>
    `more than ${d.limit} agents wait for results of functions of their clients, so this one was stopped (server.max_waiting_turns)`,
})

export const toolResultMissing = defineFault('tool_result_missing', 'invalid', {
  when: 'An agent called several functions of its client at once, and a request has the results of only some of them.',
  message: (d: { id: string }) => `the result of the call ${d.id} is missing; send the results of all calls together`,
})

export const toolChoiceUnmet = defineFault('tool_choice_unmet', 'unavailable', {
  when: 'A request requires that the agent calls a function of the client, and the agent has not done so, although it was told twice.',
  message: (d: { backend: string; problem: string }) =>
    `${d.backend} was told twice to call a function, as tool_choice requires: ${d.problem}; send the request again, or with tool_choice: auto`,
})

export const clientToolsStopped = defineFault('client_tools_stopped', 'unavailable', {
  when: 'The server was stopped while an agent waited for results of functions of its client. A later request with the results repeats the conversation in a new session.',
  message: () => 'the agent was stopped while it waited for the results of functions of its client',
})

export const queueFull = defineFault('queue_full', 'unavailable', {
  when: 'The maximum number of prompts is already running, and the queue is full.',
  message: (d: { running: number; queued: number }) =>
    `the server is full (${d.running} running, ${d.queued} waiting); try again later`,
})

export const chainInvalid = defineFault('chain_invalid', 'invalid', {
  when: 'A step of a chain refers to a step that does not exist, or the chain asks for sessions, which chains do not have.',
  message: (d: { path: string; problem: string }) => `${d.path} ${d.problem}`,
})

export const resumeInvalid = defineFault('resume_invalid', 'invalid', {
  when: 'A resume request names a working directory other than that of the session, or asks to be ephemeral.',
  message: (d: { problem: string }) => d.problem,
})

export const promptOverfilled = defineFault('prompt_overfilled', 'invalid', {
  when: 'With the answers of earlier steps inserted, the prompt of a step is longer than any agent accepts.',
  message: (d: { limit: number }) =>
    `with the answers inserted the prompt has more than ${d.limit} characters; insert fewer answers, or ask for shorter ones`,
})

/** Without `field` the request names no such mode: what it asks for needs it. */
type AboveCeiling = { field: string | undefined; mode: string; ceiling: string; setting: string }

/** Agents that change files work at least with the modes of `approval_mode: auto`. */
function describeNeed(what: string, { mode, ceiling, setting }: AboveCeiling): string {
  const remedy =
    ceiling === 'read-only' || ceiling === 'always'
      ? 'the operator can allow more'
      : 'ask for the approval_mode auto, or let the operator allow more'
  return `agents that change files need ${what} ${mode} here, but ${setting} allows at most ${ceiling}; ${remedy}`
}

export const approvalModeAboveCeiling = defineFault('approval_mode_above_ceiling', 'invalid', {
  when: 'The approval mode of a request lets the agent do more without approval than `max_approval_mode` of the server or of the key allows.',
  message: (d: AboveCeiling) =>
    d.field === undefined
      ? describeNeed('the approval mode', d)
      : `${d.field} is ${d.mode}, but ${d.setting} allows at most ${d.ceiling}; ask for ${d.ceiling}, or remove the field`,
})

export const sandboxModeAboveCeiling = defineFault('sandbox_mode_above_ceiling', 'invalid', {
  when: 'The sandbox mode of a request lets the agent do more than `max_sandbox_mode` or `max_approval_mode` of the server or of the key allows.',
  message: (d: AboveCeiling) =>
    d.field === undefined
      ? describeNeed('the sandbox mode', d)
      : `${d.field} is ${d.mode}, but ${d.setting} allows at most ${d.ceiling}; ask for less, or remove the field`,
})

export const approvalNotFound = defineFault('approval_not_found', 'not_found', {
  when: 'The execution has no pending approval with this id: it was already decided, it timed out, or the execution has ended.',
  message: (d: { id: string }) =>
    `nothing with the id ${d.id} is waiting for a decision; the last approval_request event of the execution has the current id`,
})

export const approvalNotAllowed = defineFault('approval_not_allowed', 'unauthorized', {
  when: 'The API key has a ceiling, a limit on what its agents may do, so it may not approve what an agent asks for.',
  message: (d: { setting: string }) =>
    `this key may not decide what agents do, because of ${d.setting}; use a key without that limit`,
})

export const messageNotAllowed = defineFault('message_not_allowed', 'unauthorized', {
  when: 'The API key has a limit on what its agents may do that the execution does not have, so it may not tell the agent anything. HTTP status 403.',
  message: (d: { setting: string }) =>
    `${d.setting} limits what this key may ask for, so it cannot send messages to an agent that works without that limit`,
})

export const attachmentInvalid = defineFault('attachment_invalid', 'invalid', {
  when: 'An image or a document of a prompt is too large, of another type than PNG, JPEG, GIF, WebP or PDF, or not what the request says; or there are too many.',
  message: (d: { problem: string }) => `the attachments cannot be sent: ${d.problem}`,
})

export const unsupportedFeature = defineFault('unsupported_feature', 'invalid', {
  when: 'A request to the OpenAI or Anthropic API uses a feature that the agent does not have, such as audio or ids of files.',
  message: (d: { place: string; feature: string; advice?: string }) =>
    `${d.place}: not supported: ${d.feature}; ${d.advice ?? 'send text only'}`,
})

export const labelMissing = defineFault('label_missing', 'invalid', {
  when: 'The prompt or its directory requires a label that this machine does not have, and it waits for no other machine.',
  message: (d: { label: string }) =>
    `this machine does not have the label ${d.label}; add it to work.labels, or send the prompt to servers with PostgreSQL, where it waits for a worker that has it`,
})

export const shuttingDown = defineFault('shutting_down', 'unavailable', {
  when: 'The server is shutting down: it finishes running requests and accepts no new ones. Or it stopped before a prompt had ended; send the prompt again.',
  message: () => 'the server is shutting down; retry when it is back',
})
