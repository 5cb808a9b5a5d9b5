import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Execution, ExecutionPage as Page } from '../../executions/store/execution.shape.ts'
import { ExecutionPanel } from '../execution/execution-panel.tsx'
import { ExecutionRow } from '../execution/execution-row.tsx'
import { call } from '../live/api.ts'
import { usePageSubject } from '../live/browser-tab.ts'
import { route, toHash } from '../live/router.ts'
import { executionsVersion, isRunning } from '../live/server-state.ts'
import { useExecution } from '../live/use-execution.ts'
import { Missing } from '../parts/placeholders.tsx'
import { ResumeForm } from '../parts/resume-form.tsx'
import { partsOf, titleExecution } from '../text/execution-facts.ts'
import { toLine } from '../text/visible-text.ts'

export function ExecutionPage({ id }: { id: string }) {
  const followed = useExecution(id)
  const record = followed.record.value
  const parts = useParts(record)
  const title = record === undefined ? '' : titleOf(record, parts)
  usePageSubject(record?.prompt ?? title)
  const seq = route.value.query.get('seq')
  const problem = followed.problem.value
  if (problem !== undefined) return <Missing what="execution" problem={problem} href="#/" says="Home" />
  return (
    <div class="page narrow">
      <h1>
        <span class="kicker">Execution {id.replace('exec_', '').slice(0, 8)}</span> {title}
      </h1>
      {record !== undefined && <Links record={record} />}
      <ExecutionPanel
        followed={followed}
        hasPrompt={record?.prompt?.trim() !== title || record?.attachments !== undefined}
        seq={seq === null ? undefined : Number(seq)}
      />
      {parts.map((part) => (
        <ExecutionRow key={part.id} execution={part} />
      ))}
      {record?.session_id !== undefined && !isRunning(record) && <ResumeForm sessionId={record.session_id} />}
    </div>
  )
}

/** As many as the server gives at once, and more than a batch may have. */
const MAX_PARTS = 1000

/** What a batch has started. A prompt has no parts. */
function useParts(record: Execution | undefined): readonly Execution[] {
  const parts = useSignal<readonly Execution[]>([])
  const id = record?.backend === undefined ? record?.id : undefined
  useEffect(() => {
    if (id === undefined) return
    const path = `executions?parent=${encodeURIComponent(id)}&limit=${MAX_PARTS}`
    void call<Page>(path).then(
      // The list has the newest first.
      ({ executions }) => (parts.value = executions.toReversed()),
      () => undefined,
    )
    // Also when a part begins or ends.
  }, [id, executionsVersion.value])
  return id === undefined ? [] : partsOf(id, parts.value)
}

function titleOf(record: Execution, parts: readonly Execution[]): string {
  const { prompt, backend } = record
  const isBatch = prompt === undefined && backend === undefined
  return isBatch ? firstLine(titleExecution(record, parts)) : toLine(firstLine(prompt ?? ''))
}

const LONGEST_TITLE = 160

function firstLine(prompt: string): string {
  const line = prompt.trim().split('\n', 1)[0] ?? ''
  return line.length > LONGEST_TITLE ? `${line.slice(0, LONGEST_TITLE)}…` : line
}

function Links({ record }: { record: Execution }) {
  return (
    <nav class="links" aria-label="Belongs to">
      {record.session_id !== undefined && <a href={toHash('sessions', record.session_id)}>Session</a>}
      {record.parent_id !== undefined &&
        (record.kind === 'action' ? (
          <a href={toHash('runs', record.parent_id)}>Run</a>
        ) : (
          <a href={toHash(record.kind === 'compare_backend' ? 'compare' : 'executions', record.parent_id)}>Batch</a>
        ))}
      {(record.backend ?? record.prompt) !== undefined && (
        <a href={toHash('new', '', { from: record.id })}>New prompt like this</a>
      )}
    </nav>
  )
}
