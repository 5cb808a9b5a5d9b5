/** The three ways of saying no. The path alone decides, because a refusal may come before any route is known. */
import type { Refusal } from './http-error.ts'
import { chatProblem, messageProblem, PROBLEM_MEDIA_TYPE } from './problem.ts'

type ErrorBody = { contentType: string; body: object }

export function toErrorBody(refusal: Refusal, place: { url: string; errorsBase: string }): ErrorBody {
  const { url, errorsBase } = place
  if (isUnder(url, '/openai')) return { contentType: PROBLEM_MEDIA_TYPE, body: chatProblem(refusal, errorsBase) }
  if (isUnder(url, '/anthropic')) return { contentType: PROBLEM_MEDIA_TYPE, body: messageProblem(refusal, errorsBase) }
  const { code, message, details } = refusal
  return {
    contentType: 'application/json; charset=utf-8',
    body: { error: code, message, ...(details !== undefined && { details }) },
  }
}

function isUnder(url: string, prefix: string): boolean {
  return url.startsWith(prefix) && /^(?:[/?#]|$)/.test(url.slice(prefix.length))
}
