/** Questions of an agent as a form of the editor, and what its user has filled in. Pure. */
import type { AgentQuestion, ApprovalRequest } from '../agents/adapter/agent.ts'
import { type JsonRecord, objectAt, textAt } from '../agents/adapter/json-fields.ts'

export type AskedForm = Pick<ApprovalRequest, 'reason'> & { questions: readonly AgentQuestion[] }

const fieldOf = (at: number) => `answer_${at + 1}`

/** The parameters of `elicitation/create`. */
export function toForm({ reason, questions }: AskedForm): JsonRecord {
  const required = questions.flatMap(({ is_optional: isOptional }, at) => (isOptional ? [] : [fieldOf(at)]))
  const properties = Object.fromEntries(questions.map((question, at) => [fieldOf(at), toField(question)]))
  const message = reason ?? questions.map(({ text }) => text).join('\n')
  return { mode: 'form', message, requestedSchema: { type: 'object', properties, required } }
}

/** Where any text is an answer, the options are named in the description: a form has a choice or a text. */
function toField(agentQuestion: AgentQuestion): JsonRecord {
  const { text, options, takes_several: takesSeveral, takes_text: takesText, takes } = agentQuestion
  const title = text
  if (takes !== undefined) return { type: takes, title }
  const labels = options.map(({ label, description }) => (description ? `${label} (${description})` : label))
  if (options.length === 0) return { type: 'string', title }
  if (takesText === true) return { type: 'string', title, description: `For example: ${labels.join('; ')}` }
  const titled = options.map(({ label }, at) => ({ const: label, title: labels[at] }))
  return takesSeveral ? { type: 'array', title, items: { anyOf: titled } } : { type: 'string', title, oneOf: titled }
}

/** Undefined: the user has not answered. */
export function readForm({ questions }: AskedForm, answer: JsonRecord): string[][] | undefined {
  const content = objectAt(answer, 'content')
  if (textAt(answer, 'action') !== 'accept' || content === undefined) return undefined
  return questions.map((_, at) => {
    const given = content[fieldOf(at)]
    return (Array.isArray(given) ? given : given === undefined || given === null ? [] : [given]).map(String)
  })
}
