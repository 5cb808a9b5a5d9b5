import { defineFault } from '../../kit/fault.ts'

export const attachmentsUnsupported = defineFault('attachments_unsupported', 'invalid', {
  when: 'A prompt comes with an image or a document, but the agent does not take such files.',
  message: (d: { backend: string; kind: 'images' | 'documents' }) =>
    `${d.backend} takes no ${d.kind}; use claude, codex or gemini, or send text only`,
})

export const directoriesUnsupported = defineFault('directories_unsupported', 'invalid', {
  when: 'A prompt asks for `additional_directories`, but the agent does not declare that its sessions take any, or cannot take one with this name.',
  message: (d: { backend: string; problem: string; able: readonly string[] }) =>
    `${d.backend} ${d.problem}; use ${d.able.join(' or ')}, or send additional_directories: []`,
})

export const answersInvalid = defineFault('answers_invalid', 'invalid', {
  when: 'An agent asks questions, and the decision leaves one without an answer, or has an answer that is not possible.',
  message: (d: { problem: string }) =>
    `the answers do not fit: ${d.problem}; "answers" has one list of texts for each of "questions" of the approval_request`,
})
