import { defineFault } from '../kit/fault.ts'

export const promptEmpty = defineFault({
  code: 'prompt_empty',
  kind: 'usage',
  when: 'A prompt has no text, or nothing but white space.',
  say: (_: { backend: string }) => 'the prompt is empty; say what the agent is to do',
})

export const promptNotText = defineFault({
  code: 'prompt_not_text',
  kind: 'usage',
  when: 'A prompt or system prompt holds a NUL character or half a surrogate pair, which no agent can be given.',
  say: (d: { part: 'prompt' | 'system prompt'; problem: string }) => `the ${d.part} ${d.problem}; remove it`,
})

export const promptTooLarge = defineFault({
  code: 'prompt_too_large',
  kind: 'too_large',
  when: 'A prompt, with the system prompt where that goes in front of it, is longer than the agent reads.',
  say: (d: { backend: string; size: number; limit: number; unit: 'characters' | 'bytes' }) =>
    `the prompt has ${d.size} ${d.unit}, and ${d.backend} reads at most ${d.limit}; shorten it, or put it in a file and name the file`,
})

export const extraFlagRefused = defineFault({
  code: 'extra_flag_refused',
  kind: 'usage',
  when: 'An argument in `extra` is not one that callers may hand to the agent, or lacks its value, or has one too many.',
  say: (d: { backend: string; argument: string; problem: string; allowed: readonly string[] }) =>
    `${JSON.stringify(d.argument)} in extra ${d.problem}; ${d.backend} may be given ${d.allowed.join(', ')}`,
})

export const agentSessionIdInvalid = defineFault({
  code: 'agent_session_id_invalid',
  kind: 'invalid',
  when: 'The id of an agent’s own session could be read as something else by the agent, so it is not handed on.',
  say: (d: { backend: string; id: string }) =>
    `${JSON.stringify(d.id)} cannot be the id of a session of ${d.backend}; start a new session`,
})

export const backendUnavailable = defineFault({
  code: 'backend_unavailable',
  kind: 'invalid',
  when: 'The agent that a prompt asks for is not installed here, or is disabled in the config.',
  say: (d: { backend: string; reason: 'disabled' | 'not_installed'; wanted: string }) =>
    d.reason === 'disabled'
      ? `${d.backend} is disabled; "drover config set backends.${d.backend}.enabled true" enables it`
      : `${d.backend} is not installed: there is no program "${d.wanted}"; install it, name it in backends.${d.backend}.command, or try --demo`,
})
