/** Several executions side by side: those named in the address, or the parts of a batch. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Execution, ExecutionPage } from '../../executions/store/execution.shape.ts'
import { ExecutionPanel, PromptView } from '../execution/execution-panel.tsx'
import { ApiError, call } from '../live/api.ts'
import { toHash } from '../live/router.ts'
import { isRunning, serverState } from '../live/server-state.ts'
import { joinAnswer } from '../live/transcript.ts'
import { type FollowedExecution, useExecution } from '../live/use-execution.ts'
import { Missing } from '../parts/missing.tsx'
import { ResumeForm } from '../parts/resume-form.tsx'
import type { PageProblem } from '../text/describe-missing.ts'
import { diffLines } from '../text/diff-lines.ts'
import { toVisible } from '../text/visible-text.ts'

export function ComparePage({ id }: { id: string }) {
  const named = id.split(',').filter(Boolean)
  const parts = useSignal<readonly string[]>(named.length > 1 ? named : [])
  const problem = useSignal<PageProblem | undefined>(undefined)
  const known = named.length === 1 ? partsVersion(id) : ''
  useEffect(() => {
    if (named.length > 1) parts.value = named
    else {
      readParts(id).then(
        (ids) => (parts.value = ids),
        (error: Error) => (problem.value = error instanceof ApiError ? error : { status: 0, message: error.message }),
      )
    }
  }, [id, known])
  if (problem.value !== undefined) return <Missing what="comparison" problem={problem.value} href="#/" says="Home" />
  if (parts.value.length === 0) return <p class="dim">Loading…</p>
  return <Columns key={parts.value.join()} ids={parts.value} />
}

/** Changes when a part of the batch begins. */
function partsVersion(batch: string): string {
  return [...serverState.value.executions.values()]
    .filter(({ parent_id: parent }) => parent === batch)
    .map(({ id }) => id)
    .sort()
    .join()
}

/** A batch that has just begun has no parts yet. Throws if there is no such batch. */
async function readParts(id: string): Promise<readonly string[]> {
  const batch = await call<Execution>(`executions/${encodeURIComponent(id)}`)
  const { executions } = await call<ExecutionPage>(`executions?parent=${encodeURIComponent(id)}`)
  if (executions.length === 0 && !isRunning(batch)) {
    throw new ApiError({ status: 404, code: 'no_parts', message: 'it has no parts' })
  }
  return executions.map((each) => each.id).toReversed()
}

function Columns({ ids }: { ids: readonly string[] }) {
  // The number of columns never changes: `key` recreates them.
  const columns = ids.map((id) => ({ id, followed: useExecution(id) }))
  const prompt = columns[0]?.followed.record.value?.prompt
  return (
    <div class="page wide-page">
      <h1>Compare</h1>
      {prompt !== undefined && <PromptView text={prompt} />}
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
  if (record === undefined || isRunning(record)) return null
  if (record.session_id === undefined) return <QuoteLink followed={followed} />
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

/** The prompt is part of an address, which must not be too long. */
const MAX_QUOTED = 4000

function QuoteLink({ followed }: { followed: FollowedExecution }) {
  const { backend = '', prompt = '' } = followed.record.value ?? {}
  const answer = joinAnswer(followed.transcript.value)
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
    return followed === undefined ? '' : joinAnswer(followed.transcript.value)
  }
  if (columns.length < 2) return null
  const lines = diffLines(textOf(left.value), textOf(right.value))
  const choice = (name: string, field: { value: number }) => (
    <select
      aria-label={name}
      value={String(field.value)}
      onChange={(event) => (field.value = Number(event.currentTarget.value))}
    >
      {columns.map(({ id }, at) => (
        <option key={id} value={String(at)}>
          {nameOf(at)}
        </option>
      ))}
    </select>
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
