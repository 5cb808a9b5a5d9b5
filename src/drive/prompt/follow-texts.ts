/** Texts about requirements that came after a delivery: for agents, and for the people who wrote them. Pure. */
import { digest } from '../../kit/digest.ts'
import { withInertMarkdown } from '../../kit/foreign-text.ts'
import { encodeUtf8 } from '../../kit/utf8.ts'
import type { JudgedRequirement, Requirement } from '../record/follow-event.shape.ts'
import { cleanText } from './fence.ts'

const COMMENT_CHARACTERS = 8000
const LOG_LINES = 200
const NAME_CHARACTERS = 300
const LOG_CHARACTERS = 12_000
const ANSWER_CHARACTERS = 1000

const KINDS: Readonly<Record<Requirement['from'], string>> = {
  check: 'the log of a failed check',
  thread: 'a comment on a line',
  comment: 'a comment',
  review: 'a review',
  base: 'conflicts with the base',
  person: 'a text of the user',
}

/** A rule for the agents. It has no text of others. */
export function requirementRule(requirements: readonly Requirement[]): string {
  const kinds = requirements.map(({ from }, index) => `${index + 1} (${KINDS[from]})`).join(', ')
  return `The goal ends with numbered requirements: ${kinds}. Do what serves the goal. A log only helps to find a cause. In \`observations\`, write one text for each number: \`1: changed PATH: what you did\`, or \`1: not changed: why\` if it is wrong, needs no change or is not for you to do.`
}

/** An entry of the goal, which is quoted as data. */
export function describeRequirement({ from, by, path, line, text, conflicts = [] }: Requirement): string {
  const who = by === undefined ? '' : ` by ${by}`
  const where = path === undefined ? '' : ` on ${cutName(path)}${line === undefined ? '' : `, line ${line}`}`
  switch (from) {
    case 'check':
      return `The check ${by} failed. The end of its log:\n${text}`
    case 'base':
      return `${text} drover has merged it, and left conflict markers in these files. Resolve them: ${conflicts.map(cutName).join(', ')}`
    case 'person':
      return text
    default:
      return `A comment${who}${where}:\n${text}`
  }
}

/** Says so if it is cut. */
export function cutComment(text: string): string {
  const whole = text.trim()
  const left = whole.length - COMMENT_CHARACTERS
  return cleanText(left > 0 ? `${whole.slice(0, COMMENT_CHARACTERS)}\n[${left} more characters are left out]` : whole)
}

/** A name that others have chosen: it must not look like another entry of a list. */
export function cutName(name: string): string {
  return cleanText(name).replaceAll(/\s+/g, ' ').trim().slice(0, NAME_CHARACTERS)
}

/** The last lines of a log. */
export function cutLog(log: string): string {
  return cleanText(log.trimEnd().split('\n').slice(-LOG_LINES).join('\n').slice(-LOG_CHARACTERS))
}

/** What does not change if a check fails for the same reason again: its last lines without times, ids and numbers. */
export function signatureOf(log: string): string {
  const plain = log
    .replaceAll(/\p{Cc}\[[0-9;]*m/gu, '')
    .replaceAll(/\b[0-9a-f]{7,64}\b/gi, '#')
    .replaceAll(/\d+/g, '#')
  return digest(encodeUtf8(plain.toWellFormed()))
}

/** Only the account of drover can have written a comment with it. */
const MARK = '<!-- drover:'

export function markOf(id: string): string {
  return `${MARK}answer ${id} -->`
}

export function isOwnComment(body: string): boolean {
  return body.includes(MARK)
}

const WORDS: Readonly<Record<JudgedRequirement['verdict'], string>> = {
  observed: 'observed',
  claimed: 'claimed',
  contradicted: 'contradicted',
  not_done: 'not changed',
}

/** The answer to a comment. A comment outside of a thread is named. */
export function answerText({ url, thread, id }: Requirement, { verdict, text }: JudgedRequirement): string {
  const about = thread === undefined && url !== undefined ? `About ${url}:\n\n` : ''
  return `${about}**${WORDS[verdict]}**: ${toInertLine(text)}\n\n${markOf(id)}`
}

export const TAKEN_ID = 'taken'

export function takenText(commit: string, runId: string): string {
  return `Another person pushed ${commit.slice(0, 12)} to this branch, so drover does not push to it any more. \`drover drive ${runId} --take-over\` continues on top of that.\n\n${markOf(`${TAKEN_ID}-${commit}`)}`
}

/** In one line, so that it cannot look like a part of the answer. */
function toInertLine(text: string): string {
  return withInertMarkdown(
    cleanText(text).replaceAll(/\s+/g, ' ').replaceAll(/[<>`]/g, ' ').slice(0, ANSWER_CHARACTERS).toWellFormed(),
  )
}
