/** The questions of an agent: choose an option, or write an answer. */
import { useState } from 'preact/hooks'
import type { AgentQuestion } from '../../agents/adapter/agent.shape.ts'
import type { PendingApproval } from '../../prompts/approvals.shape.ts'
import { decide } from '../live/actions.ts'
import { toLine } from '../text/visible-text.ts'

type Given = { chosen: readonly string[]; text: string }

export function QuestionForm({
  approval,
  questions,
}: {
  approval: PendingApproval
  questions: readonly AgentQuestion[]
}) {
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
