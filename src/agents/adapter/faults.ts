import { defineFault } from '../../kit/fault.ts'

export const attachmentsUnsupported = defineFault('attachments_unsupported', 'invalid', {
  when: 'A prompt comes with an image or a document, but the agent does not take such files.',
  message: (d: { backend: string; kind: 'images' | 'documents' }) =>
    `${d.backend} takes no ${d.kind}; use claude, codex or gemini, or send text only`,
})
