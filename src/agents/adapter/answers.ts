/** Questions of agents to their user, and the answers. Pure. */
import type { AgentQuestion, ApprovalReply, ApprovalRequest } from './agent.ts'
import { answersInvalid } from './faults.ts'

/** What an agent is told whose question no one answers. */
export const NO_ANSWER = 'No answer is available. Continue without one, and say what you have assumed.'

const WHOLE_NUMBER = /^-?[0-9]{1,15}$/

/** Throws a Fault unless every question has an answer that is possible. */
export function checkAnswers(
  { questions = [] }: Pick<ApprovalRequest, 'questions'>,
  { decision, answers = [] }: Pick<ApprovalReply, 'decision' | 'answers'>,
): void {
  if (decision === 'deny') return
  if (answers.length > questions.length)
    throw answersInvalid({ problem: `there are only ${questions.length} questions` })
  for (const [at, question] of questions.entries()) {
    const problem = problemOf(question, answers[at] ?? [])
    if (problem !== undefined) throw answersInvalid({ problem: `question ${at + 1} ${problem}` })
  }
}

/** Undefined: the answer is possible. */
export function problemOf(question: AgentQuestion, answer: readonly string[]): string | undefined {
  if (answer.length === 0) return question.is_optional ? undefined : 'has no answer'
  if (answer.length > 1 && !question.takes_several) return 'takes one answer'
  const bad = answer.find((text) => !isPossible(question, text))
  return bad === undefined ? undefined : `does not take ${JSON.stringify(bad.slice(0, 60))}`
}

function isPossible({ options, takes_text: takesText, takes }: AgentQuestion, text: string): boolean {
  if (takes !== undefined) return takes === 'integer' ? WHOLE_NUMBER.test(text) : isNumber(text)
  const takesAny = options.length === 0 || takesText === true
  return (takesAny && text.trim() !== '') || options.some(({ label }) => label === text)
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text))
}

/** The questions with their options, for people. */
export function describeQuestions(questions: readonly AgentQuestion[]): string {
  return questions
    .map(({ text, options, takes_several: takesSeveral }, at) => {
      const head = `${at + 1}. ${text}${takesSeveral ? ' (several answers are possible)' : ''}`
      const lines = options.map(({ label, description }, option) => {
        return `   ${option + 1}) ${label}${description === undefined || description === '' ? '' : `: ${description}`}`
      })
      return [head, ...lines].join('\n')
    })
    .join('\n')
}
