/**
 * The structure of an outcome: its fields and their types, without the rules about values and combinations. An outcome of
 * another structure is a usage error. Whether one of this structure is valid is judged only for the current action.
 */
import { type TProperties, type TSchema, Type } from 'typebox'
import { type Message, named, strict } from '../kit/shape.ts'

const text = Type.String()
const texts = Type.Array(text)
const orNull = <S extends TSchema>(shape: S) => Type.Union([shape, Type.Null()])
const listOf = <P extends TProperties>(fields: P) => Type.Array(strict(fields))

const destructiveRequest = strict({
  request_id: text,
  targets: listOf({ kind: text, value: text }),
  impact: text,
  scope_sha256: text,
})

const pause = strict({
  reason: text,
  question: text,
  destructive_request: orNull(destructiveRequest),
  supersedes_answer_action_id: Type.Optional(text),
})

const implementation = strict({
  result: text,
  files_changed: texts,
  activities: listOf({ kind: text, command: text, exit_code: Type.Integer(), summary: text }),
  uncertainties: texts,
  attempts: Type.Integer(),
})

const review = strict({
  result: text,
  findings: listOf({ location: text, summary: text, detail: text }),
  uncertainties: texts,
})

export const OutcomeForm = named(
  'outcomeForm',
  strict({
    contract_version: Type.Integer(),
    action_id: text,
    action_kind: text,
    status: text,
    summary: text,
    observations: texts,
    known_issues: texts,
    suggested_actions: listOf({ kind: text, brief: text }),
    pause: orNull(pause),
    implementation: orNull(implementation),
    review: orNull(review),
  }),
)
export type OutcomeForm = Message<typeof OutcomeForm>
