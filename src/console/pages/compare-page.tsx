/** Comparisons: their list, one of them, or executions that the address names, side by side. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Execution } from '../../executions/store/execution.shape.ts'
import type { ComparisonView } from '../../service/comparison.shape.ts'
import { ComparisonHead } from '../compare/comparison-head.tsx'
import { ComparisonList } from '../compare/comparison-list.tsx'
import { ExecutionPanel, PromptView } from '../execution/execution-panel.tsx'
import { ApiError, call } from '../live/api.ts'
import { toHash } from '../live/router.ts'
import { executionsVersion, isRunning } from '../live/server-state.ts'
import { joinAnswer } from '../live/transcript.ts'
import { type FollowedExecution, useExecution } from '../live/use-execution.ts'
import { Choice } from '../parts/form-fields.tsx'
import { Missing } from '../parts/placeholders.tsx'
import { ResumeForm } from '../parts/resume-form.tsx'
import type { PageProblem } from '../text/describe-missing.ts'
import { diffLines } from '../text/diff-lines.ts'
import { toVisible } from '../text/visible-text.ts'
import { ExecutionPage } from './execution-page.tsx'

export function ComparePage({ id }: { id: string }) {
  const named = id.split(',').filter(Boolean)
  if (named.length === 0) return <ComparisonList />
  return named.length > 1 ? <Columns ids={named} /> : <Comparison id={id} />
}

/** One comparison: who took part, what each has changed, whose work was kept, and the answers side by side. */
function Comparison({ id }: { id: string }) {
  const view = useSignal<ComparisonView | undefined>(undefined)
  const problem = useSignal<PageProblem | undefined>(undefined)
  const read = () =>
    call<ComparisonView>(`compare/${encodeURIComponent(id)}`).then(
      (found) => (view.value = found),
      (error: Error) => (problem.value = error instanceof ApiError ? error : { status: 0, message: error.message }),
    )
  // Also when an agent begins or ends.
  useEffect(() => void read(), [id, executionsVersion.value])
  // Of a dry run, or of tasks.
  if (problem.value?.code === 'comparison_unknown') return <ExecutionPage id={id} />
  if (problem.value !== undefined)
    return <Missing what="comparison" problem={problem.value} href="#/compare" says="Comparisons" />
  if (view.value === undefined) return <p class="dim">Loading…</p>
  const ids = view.value.contenders.flatMap(({ execution_id: each }) => (each === undefined ? [] : [each]))
  return (
    <>
      <ComparisonHead view={view.value} onKept={() => void read()} />
      {ids.length > 0 && <Columns key={ids.join()} ids={ids} isPart />}
    </>
  )
}

function Columns({ ids, isPart = false }: { ids: readonly string[]; isPart?: boolean }) {
  // The number of columns never changes: `key` recreates them.
  const columns = ids.map((id) => ({ id, followed: useExecution(id) }))
  const prompt = columns[0]?.followed.record.value?.prompt
  return (
    <div class="page wide-page">
      {isPart ? <h2>Answers</h2> : <h1>Compare</h1>}
      {!isPart && prompt !== undefined && <PromptView text={prompt} />}
      <div class="columns" style={{ '--columns': String(columns.length) }}>
        {columns.map(({ id, followed }) => (
          <div key={id} class="column">
            <ExecutionPanel followed={followed} hasPrompt={false} />
            <GoOn id={id} followed={followed} />
          </div>
        ))}
      </div>
      <Difference columns={columns} />
    </div>
  )
}

/** Continues with the chosen answer: in its session, or in a new prompt if a batch has stored none. */
function GoOn({ id, followed }: { id: string; followed: FollowedExecution }) {
  const isOpen = useSignal(false)
  const record = followed.record.value
  const answer = answerOf(followed)
  if (record === undefined || isRunning(record) || answer === '') return null
  if (record.session_id === undefined) return <QuoteLink record={record} answer={answer} />
  if (isOpen.value)
    return <ResumeForm sessionId={record.session_id} {...(record.backend && { backend: record.backend })} />
  return (
    <div class="actions">
      <button type="button" onClick={() => (isOpen.value = true)}>
        Continue with this answer
      </button>
      <a href={toHash('executions', id)}>Open</a>
    </div>
  )
}

/** Empty if there is none. If no events are kept, the result has it. */
function answerOf({ transcript, record }: FollowedExecution): string {
  const output = record.value?.result?.['output']
  return joinAnswer(transcript.value) || (typeof output === 'string' ? output : '')
}

/** The prompt is part of an address, which must not be too long. */
const MAX_QUOTED = 4000

function QuoteLink({ record: { backend = '', prompt = '' }, answer }: { record: Execution; answer: string }) {
  const quoted = [prompt, answer].map((text) => text.slice(0, MAX_QUOTED).replace(/^/gm, '> '))
  return (
    <a
      href={toHash('new', '', { backend, prompt: `I asked you:\n\n${quoted[0]}\n\nYou answered:\n\n${quoted[1]}\n\n` })}
    >
      Continue with this answer in a new session
    </a>
  )
}

type Column = { id: string; followed: FollowedExecution }

function Difference({ columns }: { columns: readonly Column[] }) {
  const [left, right] = [useSignal(0), useSignal(1)]
  const nameOf = (at: number) => `${at + 1}: ${columns[at]?.followed.record.value?.backend ?? '…'}`
  const textOf = (at: number) => {
    const followed = columns[at]?.followed
    return followed === undefined ? '' : answerOf(followed)
  }
  if (columns.length < 2) return null
  const lines = diffLines(textOf(left.value), textOf(right.value))
  const choice = (name: string, field: { value: number }) => (
    <Choice
      name={name}
      value={String(field.value)}
      choices={columns.map((_, at) => [String(at), nameOf(at)])}
      onChoose={(at) => (field.value = Number(at))}
    />
  )
  return (
    <details class="difference">
      <summary>Compare two answers</summary>
      <div class="actions">
        {choice('Left answer', left)} {choice('Right answer', right)}
      </div>
      {lines === undefined ? (
        <p class="dim">The answers are too long to compare.</p>
      ) : (
        <pre>
          {lines.map(({ side, text }, at) => (
            <span key={at} class={`diff-${side}`}>
              {side === 'both' ? '  ' : side === 'left' ? '- ' : '+ '}
              {toVisible(text)}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
    </details>
  )
}
