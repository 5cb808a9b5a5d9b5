/** Something that an agent asks for, with the decisions that are possible. */
import { useState } from 'preact/hooks'
import type { PendingApproval } from '../../prompts/approvals.shape.ts'
import { type ApprovalOption, decide } from '../live/actions.ts'
import { sender } from '../live/api.ts'
import { now } from '../live/now.ts'
import { toHash } from '../live/router.ts'
import { serverState } from '../live/server-state.ts'
import { formatDuration } from '../text/format.ts'
import { restOfInput } from '../text/rest-of-input.ts'
import { toLine } from '../text/visible-text.ts'
import { QuestionForm } from './answer-fields.tsx'
import { Decisive } from './text-view.tsx'

const LABELS: Readonly<Record<ApprovalOption, string>> = {
  allow: 'Allow',
  allow_session: 'Allow for this session',
  deny: 'Deny',
}

const KEYS: Partial<Readonly<Record<ApprovalOption, string>>> = { allow: 'a', deny: 'd' }

export function ApprovalCard({
  approval,
  isInExecution = false,
}: {
  approval: PendingApproval
  isInExecution?: boolean
}) {
  const [isSent, setSent] = useState(false)
  const [reason, setReason] = useState('')
  const mayDecide = sender.value?.may_decide === true
  const execution = serverState.value.executions.get(approval.execution_id)
  const isQuestion = approval.questions !== undefined
  const rest = isQuestion ? undefined : restOfInput(approval)
  const answer = async (choice: ApprovalOption) => {
    setSent(true)
    await decide(approval, choice, { message: choice === 'deny' ? reason : '' })
    setSent(false)
  }
  return (
    <article
      class="card needs"
      data-row
      data-approval={approval.approval_id}
      tabIndex={-1}
      aria-label={isQuestion ? 'An agent asks a question' : `${toLine(approval.tool_name)} asks for permission`}
    >
      <header>
        <strong>{isQuestion ? 'Question' : toLine(approval.tool_name)}</strong>
        <span>
          {execution?.backend ?? ''} asks {isQuestion ? 'you' : 'for permission'}
        </span>
        {!isInExecution && <a href={toHash('executions', approval.execution_id)}>Open</a>}
        <span class="dim">{timeLeft(approval)}</span>
      </header>
      {approval.reason !== undefined && <p>{toLine(approval.reason)}</p>}
      {execution?.workdir !== undefined && !isInExecution && <p class="dim path">{toLine(execution.workdir)}</p>}
      {approval.command !== undefined && <Decisive text={approval.command} language="sh" />}
      {approval.diff !== undefined && <Decisive text={approval.diff} language="diff" />}
      {rest !== undefined && <Decisive text={JSON.stringify(rest, null, 2)} language="json" />}
      {!mayDecide ? (
        <p class="dim">Your key may not decide this.</p>
      ) : approval.questions !== undefined ? (
        <QuestionForm approval={approval} questions={approval.questions} />
      ) : (
        <div class="actions">
          {approval.choices.map((choice) => (
            <button
              key={choice}
              type="button"
              class={choice === 'allow' ? 'primary' : ''}
              data-choice={choice}
              disabled={isSent}
              onClick={() => void answer(choice)}
            >
              {LABELS[choice]}
              {KEYS[choice] !== undefined && <kbd>{KEYS[choice]}</kbd>}
            </button>
          ))}
          <input
            aria-label="Reason for the agent if you deny"
            placeholder="Reason, if you deny"
            value={reason}
            onInput={(event) => setReason(event.currentTarget.value)}
          />
        </div>
      )}
    </article>
  )
}

function timeLeft({ expires_at: expires, questions }: PendingApproval): string {
  const left = Date.parse(expires) - now.value
  if (left > 0 && questions !== undefined) return `continues without an answer in ${formatDuration(left)}`
  return left > 0 ? `denied in ${formatDuration(left)} if no one decides` : 'its time is over'
}
