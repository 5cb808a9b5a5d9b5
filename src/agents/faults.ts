import { defineFault } from '../kit/fault.ts'
import { type Backend, NATIVE_BACKENDS } from './adapter/agent.ts'
import { installAdvice } from './install-command.ts'

export const gitSettingsRefused = defineFault('git_settings_refused', 'invalid', {
  when: 'If the key or the server limits what agents may do (a ceiling), or in a driven run, a git setting of the repository in the working directory names a program that git would run for the agent. Another agent may have added that setting.',
  message: (d: { backend: string; key: string; file: string }) =>
    `${d.key} in ${d.file} would make git run a program while ${d.backend} works, and another agent may have added it; remove that setting, or move it to your own ~/.gitconfig`,
})

export const gitSettingsUnreadable = defineFault('git_settings_unreadable', 'invalid', {
  when: 'The git settings of the repository in the working directory cannot be read, so it is not known what git would run for the agent. This is an error only in a driven run, or if the key or the server limits what agents may do (a ceiling).',
  message: (d: { backend: string; problem: string }) =>
    `cannot determine what git would run for ${d.backend} in the working directory: ${d.problem}`,
})

export const agentSilent = defineFault('agent_silent', 'unavailable', {
  when: 'An agent printed nothing for longer than `silence_secs` of its backend or of `unified_flags` allows, so drover stopped it.',
  message: (d: { backend: string; seconds: number }) =>
    `${d.backend} printed nothing for ${d.seconds} s and was stopped; if it needs more time, set backends.${d.backend}.silence_secs`,
})

export const agentTimedOut = defineFault('agent_timeout', 'unavailable', {
  when: 'An agent did not finish in time, so drover stopped it. The time in which it waits for results of functions of its client does not count.',
  message: (d: { backend: string; seconds: number }) =>
    `${d.backend} did not finish within ${d.seconds} s and was stopped`,
})

export const clientToolsAbandoned = defineFault('client_tools_abandoned', 'unavailable', {
  when: 'An agent called a function of its client and did not wait for the result.',
  message: (d: { backend: string }) =>
    `${d.backend} did not wait for the result of a function of the client; send the request again, the conversation is repeated`,
})

export const promptEmpty = defineFault('prompt_empty', 'usage', {
  when: 'A prompt is empty or only white space.',
  message: (_: { backend?: string }) => 'the prompt is empty; write what the agent should do',
})

export const promptNotText = defineFault('prompt_not_text', 'usage', {
  when: 'A prompt or system prompt contains a NUL character or half a surrogate pair, which no agent accepts.',
  message: (d: { part: 'prompt' | 'system prompt'; problem: string }) => `the ${d.part} ${d.problem}; remove it`,
})

export const promptTooLarge = defineFault('prompt_too_large', 'too_large', {
  when: 'A prompt, including a prepended system prompt, is longer than the agent accepts.',
  message: (d: { backend: string; size: number; limit: number; unit: 'characters' | 'bytes' }) =>
    `the prompt has ${d.size} ${d.unit}, but ${d.backend} accepts at most ${d.limit}; shorten it, or put the text in a file and name the file in the prompt`,
})

export const extraFlagRefused = defineFault('extra_flag_refused', 'usage', {
  when: 'An argument in `extra` is not in the agent’s list of allowed flags, is missing its value, or has a value that the flag does not accept.',
  message: (d: { backend: string; argument: string; problem: string; allowed: readonly string[] }) =>
    `${JSON.stringify(d.argument)} in extra ${d.problem}; allowed for ${d.backend}: ${d.allowed.join(', ')}`,
})

export const extraAboveCeiling = defineFault('extra_above_ceiling', 'invalid', {
  when: 'An argument in `extra` could override the modes or the directories of a request that `max_approval_mode`, `max_sandbox_mode` or `directories` of a key limits. `server.allow_unsafe_extra` does not apply to such a request.',
  message: (d: { field: string; backend: string; argument: string; setting: string; allowed: readonly string[] }) =>
    `${JSON.stringify(d.argument)} in ${d.field} could override ${d.setting}; allowed for ${d.backend}: ${d.allowed.join(', ')}`,
})

export const agentSessionIdInvalid = defineFault('agent_session_id_invalid', 'invalid', {
  when: 'The stored id of the agent’s own session is not a valid id, so it is not passed to the agent.',
  message: (d: { backend: string; id: string }) =>
    `${JSON.stringify(d.id)} is not a valid session id of ${d.backend}; start a new session`,
})

export const backendUnavailable = defineFault('backend_unavailable', 'invalid', {
  when: 'The requested agent is not installed, or is disabled in the config.',
  message: (d: { backend: Backend; reason: 'disabled' | 'not_installed'; wanted: string }) =>
    d.reason === 'disabled'
      ? `${d.backend} is disabled; run "drover config set backends.${d.backend}.enabled true" to enable it; on a server, ask who runs it`
      : `${d.backend} is not installed: the program "${d.wanted}" was not found; ${installAdvice(d.backend)}${waysAround(d.backend)}`,
})

/** The demo agent stands in for native agents only. */
function waysAround(backend: Backend): string {
  const ownProgram = `name its program in backends.${backend}.command`
  return (NATIVE_BACKENDS as readonly Backend[]).includes(backend)
    ? `, ${ownProgram}, or try --demo (in a program: demo)`
    : `, or ${ownProgram}`
}

export const outputSchemaInvalid = defineFault('output_schema_invalid', 'invalid', {
  when: 'The schema for the answer is not valid, is too large, or has a keyword that drover does not validate.',
  message: (d: { problem: string }) => `the schema for the answer: ${d.problem}`,
})

export const outputSchemaUnsupported = defineFault('output_schema_unsupported', 'invalid', {
  when: 'A request has a schema for the answer, but the agent has no flag for one.',
  message: (d: { backend: string; able: readonly string[] }) =>
    `${d.backend} cannot be given a schema for its answer; use ${d.able.join(' or ')}`,
})
