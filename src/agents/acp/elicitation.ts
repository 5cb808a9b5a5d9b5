/** Questions of an agent that speaks ACP (`elicitation/create`): a form becomes questions, the answers its content. Pure. */
import type { AgentQuestion, ApprovalReply, ApprovalRequest } from '../adapter/agent.ts'
import { isObject, type JsonRecord, objectAt, objectsAt, textAt, textsAt } from '../adapter/json-fields.ts'

type Field = { name: string; shape: JsonRecord; isRequired: boolean }

/** Undefined: it is no form of the session. The user is not sent to an address that an agent names. */
export function toQuestionRequest(params: JsonRecord): Omit<ApprovalRequest, 'approval_id'> | undefined {
  const fields = readFields(params)
  if (fields.length === 0 || textAt(params, 'mode') !== 'form' || !textAt(params, 'sessionId')) return undefined
  const [id, message] = [textAt(params, 'toolCallId'), textAt(params, 'message')]
  return {
    tool_name: 'question',
    ...(id !== undefined && { tool_id: id }),
    ...(message !== undefined && { reason: message }),
    input: params['requestedSchema'],
    questions: fields.map(toQuestion),
    choices: ['allow', 'deny'],
  }
}

export function toElicitationAnswer(params: JsonRecord, { decision, answers = [] }: ApprovalReply): JsonRecord {
  if (decision === 'deny') return { action: 'decline' }
  const given = readFields(params).flatMap(({ name, shape }, at) => {
    const answer = answers[at] ?? []
    return answer.length === 0 ? [] : [[name, toValue(shape, answer)]]
  })
  return { action: 'accept', content: Object.fromEntries(given) }
}

function readFields(params: JsonRecord): Field[] {
  const schema = objectAt(params, 'requestedSchema')
  const required = textsAt(schema, 'required')
  return Object.entries(objectAt(schema, 'properties') ?? {}).map(([name, shape]) => {
    return { name, shape: isObject(shape) ? shape : {}, isRequired: required.includes(name) }
  })
}

type Option = AgentQuestion['options'][number] & { value: string }

const YES_OR_NO = ['yes', 'no'].map((label) => ({ label, value: label }))

function readOptions(shape: JsonRecord): Option[] {
  if (shape['type'] === 'boolean') return YES_OR_NO
  const holder = shape['type'] === 'array' ? objectAt(shape, 'items') : shape
  const titled = [...objectsAt(holder, 'oneOf'), ...objectsAt(holder, 'anyOf')].map((option) => {
    const [value, description] = [textAt(option, 'const') ?? '', textAt(option, 'description')]
    return { label: textAt(option, 'title') ?? value, value, ...(description !== undefined && { description }) }
  })
  return [...titled, ...textsAt(holder, 'enum').map((value) => ({ label: value, value }))]
}

function toQuestion({ name, shape, isRequired }: Field): AgentQuestion {
  const texts = [textAt(shape, 'title') ?? name, textAt(shape, 'description')].filter((text) => text)
  const type = textAt(shape, 'type')
  return {
    text: texts.join(': '),
    options: readOptions(shape).map(({ value: _, ...option }) => option),
    ...(type === 'array' && { takes_several: true }),
    ...((type === 'number' || type === 'integer') && { takes: type }),
    ...(!isRequired && { is_optional: true }),
  }
}

function toValue(shape: JsonRecord, answer: readonly string[]): unknown {
  const options = readOptions(shape)
  const [first = '', ...more] = answer.map((text) => options.find(({ label }) => label === text)?.value ?? text)
  switch (shape['type']) {
    case 'array':
      return [first, ...more]
    case 'boolean':
      return first === 'yes'
    case 'number':
    case 'integer':
      return Number(first)
    default:
      return first
  }
}
