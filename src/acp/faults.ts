import { defineFault } from '../kit/fault.ts'

export const acpContentUnsupported = defineFault('acp_content_unsupported', 'invalid', {
  when: 'An editor sends a sound to `drover acp`, or content without data.',
  message: (d: { type: string }) =>
    `drover does not accept content of type ${d.type}; send text, links, text files, images or PDF documents`,
})

export const acpOptionUnknown = defineFault('acp_option_unknown', 'invalid', {
  when: 'An editor chooses a mode or an option that a `drover acp` session does not have.',
  message: (d: { option: string; value: string; known: readonly string[] }) =>
    `${d.option} cannot be ${JSON.stringify(d.value)}; choose one of ${d.known.join(', ')}`,
})

export const acpSessionUnknown = defineFault('acp_session_unknown', 'not_found', {
  when: 'An editor uses a `drover acp` session that it has not opened.',
  message: (d: { id: string }) => `the session ${d.id} is not open; create, load or resume it first`,
})

export const acpSessionBusy = defineFault('acp_session_busy', 'conflict', {
  when: 'An editor sends a prompt to `drover acp` while the last prompt of that session is still running.',
  message: (_: object) => 'the last prompt of this session is still running; cancel it, or wait until it ends',
})
