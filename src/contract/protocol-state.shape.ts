import { type TProperties, type TSchema, Type } from 'typebox'
import { literals, type Message, meaning, named, strict, tagged } from '../kit/shape.ts'
import { Action } from './action.shape.ts'
import { ContractVersion } from './identifiers.shape.ts'
import { Next } from './next.shape.ts'
import { PauseReason } from './pause.shape.ts'
import { PinnedSource } from './pinned-source.shape.ts'
import { ResumeOperation } from './resume-result.shape.ts'
import { SourceCandidate } from './source-candidate.shape.ts'
import { NonEmptyText } from './text.shape.ts'

const ACTION = 'What is being worked on, or waits.'

function state<S extends TSchema, P extends TProperties>(reached: S, own: P) {
  const fields = {
    contract_version: ContractVersion,
    run_id: meaning('The run.', NonEmptyText),
    state: reached,
    pause_reason: Type.Optional(PauseReason),
    summary: Type.Optional(meaning('What came of it, once the run has ended.', NonEmptyText)),
    ...own,
    next: Next,
    pinned_source: Type.Optional(meaning('The requirements, where the run serves an issue.', PinnedSource)),
    source_candidate: Type.Optional(meaning('What waits for a choice.', SourceCandidate)),
  }
  return tagged('resume_operation', [
    strict(fields),
    strict({
      ...fields,
      resume_operation: meaning('What the resume did that this answers.', ResumeOperation),
      budget_applied: Type.Boolean({ description: 'Whether it set the budget that was asked for.' }),
    }),
  ])
}

export const ProtocolState = named(
  'protocolState',
  tagged(
    'state',
    [
      state(Type.Literal('active', { description: 'Where the run stands.' }), { action: meaning(ACTION, Action) }),
      state(literals(['paused', 'stopped', 'ended'], { description: 'Where the run stands.' }), {
        action: Type.Optional(meaning(ACTION, Action)),
      }),
    ],
    {
      title: 'Protocol state',
      description: 'The answer to every command that changes a run.',
      'x-rules': {
        budgetFollowsTheResume: '`budget_applied` is false with `source_candidate_created`, else true.',
      },
    },
  ),
)
export type ProtocolState = Message<typeof ProtocolState>
