import { LIMITS, ROLES } from '../contract/limits.ts'
import { defineFault } from '../kit/fault.ts'

export const invalidSource = defineFault('invalid_source', 'usage', {
  when: 'A source envelope cannot be read, is not valid, or belongs to an issue that cannot start a run.',
  message: (d: { problem: string; classification?: string }) =>
    d.classification === undefined
      ? `the source is not a valid envelope: ${d.problem}`
      : `the issue cannot be pinned (${d.classification}): ${d.problem}; run "drover source check" to see how to fix it`,
})

export const invalidComment = defineFault('invalid_comment', 'usage', {
  when: 'The file with the text of a comment cannot be read, is not text or is too large for a comment.',
  message: (d: { problem: string }) => `the comment cannot be read: ${d.problem}`,
})

export const issueUrlInvalid = defineFault('issue_url_invalid', 'usage', {
  when: 'An argument is not the URL of an issue or of a comment on an issue.',
  message: (d: { given: string; expected: 'issue' | 'comment'; nearest: string | undefined }) => {
    const example = `https://github.com/OWNER/REPO/issues/7${d.expected === 'comment' ? '#issuecomment-1901' : ''}`
    const hint = d.nearest === undefined ? `use a URL such as ${example}` : `did you mean ${d.nearest}?`
    return `${JSON.stringify(d.given)} is not the URL of ${d.expected === 'issue' ? 'an issue' : 'a comment'}; ${hint}`
  },
})

export const issueNotAChange = defineFault('issue_not_a_change', 'invalid', {
  when: 'The body of the fetched issue does not start with a change marker.',
  message: (d: { url: string; code: string; problem: string }) =>
    `${d.url} is not a change (${d.code}): ${d.problem}; "drover source draft" shows how to write one`,
})

const UNUSABLE = {
  no_author: "its author's account was deleted; post its text as a new comment and use that one",
  other_issue: 'it belongs to another issue; use a comment on this issue',
  no_marker: 'its first line is not a section marker such as <!-- drover-section:v1 key=outcome -->; add one',
  blank: 'it has no text below its marker; add some',
  too_large: `its text has more than ${LIMITS.sectionBytes} bytes; split it in two`,
  control_characters: 'it has control characters other than tabs and line breaks; remove them',
  no_role: `its key does not start with a role (${ROLES.join(', ')}); use a key such as requirements-2`,
} as const

export const issueCommentUnusable = defineFault('issue_comment_unusable', 'invalid', {
  when: 'A comment cannot be a section of the issue; the details give the reason.',
  message: (d: { url: string; reason: keyof typeof UNUSABLE }) => `${d.url} cannot be a section: ${UNUSABLE[d.reason]}`,
})

export const issueTooLarge = defineFault('issue_too_large', 'too_large', {
  when: 'The issue has too many labels, or the issue and its comments are too large together.',
  message: (d: { url: string; what: string; count: number; limit: number }) =>
    `${d.url} has ${d.count} ${d.what}; at most ${d.limit} are allowed; remove some`,
})

export const draftInvalid = defineFault('draft_invalid', 'invalid', {
  when: 'The given comments do not make a valid manifest, for example because a role is missing or two comments have the same key.',
  message: (d: { problem: string }) => `these comments do not make a valid manifest: ${d.problem}`,
})
