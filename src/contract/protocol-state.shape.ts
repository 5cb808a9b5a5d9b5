import { type TProperties, type TSchema, Type } from 'typebox'
import { literals, type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { Action } from './action.shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { Next } from './next.shape.ts'
import { PauseReason } from './pause.shape.ts'
import { PinnedSource } from './pinned-source.shape.ts'
import { ResumeOperation } from './resume-result.shape.ts'
import { SourceCandidate } from './source-candidate.shape.ts'
import { NonEmptyText } from './text-kinds.shape.ts'

const ACTION = 'The current action.'

function state<S extends TSchema, P extends TProperties>(reached: S, own: P) {
  const fields = {
    contract_version: ContractVersion,
    run_id: meaning('Id of the run.', NonEmptyText),
    state: reached,
    pause_reason: Type.Optional(PauseReason),
    summary: Type.Optional(meaning('Summary of an ended run.', NonEmptyText)),
    ...own,
    next: Next,
    pinned_source: Type.Optional(meaning('The requirements of an issue-bound run.', PinnedSource)),
    source_candidate: Type.Optional(meaning('The candidate that is waiting for a choice.', SourceCandidate)),
  }
  return tagged('resume_operation', [
    strict(fields),
    strict({
      ...fields,
      resume_operation: meaning('What the resume did.', ResumeOperation),
      budget_applied: Type.Boolean({ description: 'Whether the resume applied its budget.' }),
    }),
  ])
}

export const ProtocolState = named(
  'protocolState',
  tagged(
    'state',
    [
      state(Type.Literal('active', { description: 'State of the run.' }), { action: meaning(ACTION, Action) }),
      state(literals(['paused', 'stopped', 'ended'], { description: 'State of the run.' }), {
        action: Type.Optional(meaning(ACTION, Action)),
      }),
    ],
    {
      title: 'Protocol state',
      description: 'The response to every command that changes a run.',
      'x-rules': {
        budgetFollowsTheResume: '`budget_applied` is false for `source_candidate_created` and true otherwise.',
      },
    },
  ),
)
export type ProtocolState = Message<typeof ProtocolState>
