/** Something that an agent asks for, with the decisions that are possible. */
import { useState } from 'preact/hooks'
import type { AgentQuestion } from '../../agents/adapter/agent.shape.ts'
import type { PendingApproval } from '../../prompts/approvals.shape.ts'
import type { ApprovalRecord } from '../../prompts/prompt-result.shape.ts'
import { type ApprovalOption, decide } from '../live/actions.ts'
import { sender } from '../live/api.ts'
import { now } from '../live/now.ts'
import { toHash } from '../live/router.ts'
import { serverState } from '../live/server-state.ts'
import { describeDecision, restOfInput } from '../text/approval-text.ts'
import { formatDuration } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'
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

type Given = { chosen: readonly string[]; text: string }

/** The questions of an agent: choose an option, or write an answer. */
function QuestionForm({ approval, questions }: { approval: PendingApproval; questions: readonly AgentQuestion[] }) {
  const [given, setGiven] = useState<readonly Given[]>(questions.map(() => ({ chosen: [], text: '' })))
  const [isSent, setSent] = useState(false)
  const change = (at: number, next: Partial<Given>) =>
    setGiven(given.map((each, index) => (index === at ? { ...each, ...next } : each)))
  const answers = given.map(({ chosen, text }) => (text.trim() === '' ? [...chosen] : [...chosen, text.trim()]))
  const isWhole = questions.every(({ is_optional: isOptional }, at) => isOptional || (answers[at] ?? []).length > 0)
  const send = async (choice: 'allow' | 'deny') => {
    setSent(true)
    await decide(approval, choice, choice === 'allow' ? { answers } : {})
    setSent(false)
  }
  return (
    <>
      {questions.map((question, at) => (
        <QuestionFields
          key={`${approval.approval_id}-${question.text}`}
          name={`${approval.approval_id}-${at}`}
          question={question}
          given={given[at] ?? { chosen: [], text: '' }}
          onChange={(next) => change(at, next)}
        />
      ))}
      <div class="actions">
        <button
          type="button"
          class="primary"
          data-choice="allow"
          disabled={isSent || !isWhole}
          onClick={() => void send('allow')}
        >
          Answer
        </button>
        <button type="button" data-choice="deny" disabled={isSent} onClick={() => void send('deny')}>
          No answer
        </button>
      </div>
    </>
  )
}

type FieldsProps = { name: string; question: AgentQuestion; given: Given; onChange: (next: Partial<Given>) => void }

function QuestionFields({ name, question, given, onChange }: FieldsProps) {
  const { text, options, takes_several: takesSeveral = false, takes_text: takesText = false } = question
  const choose = (label: string, isOn: boolean) => {
    // One answer: a choice replaces the text.
    if (!takesSeveral) return onChange({ chosen: [label], text: '' })
    onChange({ chosen: isOn ? [...given.chosen, label] : given.chosen.filter((each) => each !== label) })
  }
  return (
    <fieldset class="question">
      <legend>{toLine(text)}</legend>
      {options.map(({ label, description }) => (
        <label key={label}>
          <input
            type={takesSeveral ? 'checkbox' : 'radio'}
            name={name}
            checked={given.chosen.includes(label)}
            onChange={(event) => choose(label, event.currentTarget.checked)}
          />{' '}
          {toLine(label)}
          {description !== undefined && <span class="dim"> {toLine(description)}</span>}
        </label>
      ))}
      {(takesText || options.length === 0) && (
        <input
          aria-label={`Your answer: ${toLine(text)}`}
          placeholder={options.length === 0 ? 'Your answer' : 'Another answer'}
          value={given.text}
          onInput={(event) => {
            const { value } = event.currentTarget
            onChange(takesSeveral ? { text: value } : { chosen: [], text: value })
          }}
        />
      )}
    </fieldset>
  )
}

/** What an agent asked for, and who decided, in one line. */
export function ApprovalLine({ approval }: { approval: ApprovalRecord }) {
  const { tool_name: tool, command = '', at } = approval
  return (
    <p class="dim">
      <strong>{toLine(tool)}</strong> <code>{toLine(command)}</code> {toLine(describeDecision(approval))},{' '}
      <time dateTime={at}>{new Date(at).toLocaleString()}</time>
    </p>
  )
}
