import type { Execution } from '../../executions/store/execution.shape.ts'
import { ExecutionPanel } from '../execution/execution-panel.tsx'
import { usePageSubject } from '../live/browser-tab.ts'
import { route, toHash } from '../live/router.ts'
import { isRunning } from '../live/server-state.ts'
import { useExecution } from '../live/use-execution.ts'
import { Missing } from '../parts/placeholders.tsx'
import { ResumeForm } from '../parts/resume-form.tsx'
import { toLine } from '../text/visible-text.ts'

export function ExecutionPage({ id }: { id: string }) {
  const followed = useExecution(id)
  const record = followed.record.value
  usePageSubject(record?.prompt_start ?? record?.prompt)
  const title = toLine(firstLine(record?.prompt ?? record?.prompt_start ?? ''))
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
      {record?.session_id !== undefined && !isRunning(record) && <ResumeForm sessionId={record.session_id} />}
    </div>
  )
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
          <a href={toHash('compare', record.parent_id)}>Batch</a>
        ))}
      <a href={toHash('new', '', { from: record.id })}>New prompt like this</a>
    </nav>
  )
}
