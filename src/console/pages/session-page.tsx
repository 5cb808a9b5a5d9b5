/** One session with its turns. */
import { computed, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { SessionDetail, SessionTurn } from '../../executions/session-turn.shape.ts'
import { ExecutionPanel, PromptView } from '../execution/execution-panel.tsx'
import { ApiError, call } from '../live/api.ts'
import { usePageSubject } from '../live/browser-tab.ts'
import { toHash } from '../live/router.ts'
import { isRunning, serverState } from '../live/server-state.ts'
import { stateVersion } from '../live/state-changes.ts'
import { useExecution } from '../live/use-execution.ts'
import { Markdown } from '../parts/markdown-view.tsx'
import { Missing } from '../parts/placeholders.tsx'
import { ResumeForm } from '../parts/resume-form.tsx'
import { SessionTools } from '../parts/session-tools.tsx'
import { Age, Owner, StateChip, Tokens } from '../parts/state-chip.tsx'
import type { PageProblem } from '../text/describe-missing.ts'
import { formatDuration } from '../text/format.ts'
import { toStateWord } from '../text/state-word.ts'
import { toLine, toVisible } from '../text/visible-text.ts'

export function SessionPage({ id }: { id: string }) {
  const session = useSignal<SessionDetail | undefined>(undefined)
  const problem = useSignal<PageProblem | undefined>(undefined)
  const read = async () => {
    try {
      session.value = await call<SessionDetail>(`sessions/${encodeURIComponent(id)}?turns=true`)
      problem.value = undefined
    } catch (error) {
      problem.value = error instanceof ApiError ? error : { status: 0, message: String(error) }
    }
  }
  // Read again when one of its executions begins or ends.
  const version = useMemo(() => computed(() => stateVersion(serverState.value, id)), [id]).value
  useEffect(() => void read(), [id, version])
  const { value } = session
  usePageSubject(value?.title ?? value?.initial_prompt)
  if (problem.value !== undefined)
    return <Missing what="session" problem={problem.value} href="#/sessions" says="All sessions" />
  if (value === undefined) return <p class="dim">Loading…</p>
  const { turns = [], older_turns: older = 0 } = value
  return (
    <div class="page narrow">
      <h1>{toLine(value.title ?? value.initial_prompt).slice(0, 120)}</h1>
      <Facts session={value} />
      <SessionTools session={value} onChanged={read} />
      {older > 0 && <p class="dim">{older === 1 ? '1 older turn is' : `${older} older turns are`} not shown.</p>}
      {turns.length === 0 && <p class="dim">No turn of this session is kept. Its first prompt was:</p>}
      {turns.length === 0 && <PromptView text={value.initial_prompt} />}
      {turns.map((turn) => (
        <Turn key={turn.execution_id} turn={turn} backend={value.backend} />
      ))}
      <ResumeForm sessionId={value.id} backend={value.backend} onStarted={() => void read()} />
    </div>
  )
}

function Facts({ session }: { session: SessionDetail }) {
  return (
    <div class="facts">
      <StateChip word={toStateWord(session.status)} />
      <strong>
        {session.backend}
        {session.is_demo === true && ' (demo)'}
      </strong>
      {session.model !== undefined && session.is_demo !== true && <span>{toLine(session.model)}</span>}
      <span>
        {session.turn_count} {session.turn_count === 1 ? 'turn' : 'turns'}
      </span>
      <Tokens usage={session.token_usage} backend={session.backend} />
      <Age time={session.last_used} of="used" />
      <Owner of={session} />
      <span class="path dim">{toLine(session.working_dir)}</span>
      {session.parent_id !== undefined && <a href={toHash('sessions', session.parent_id)}>Forked from</a>}
    </div>
  )
}

type TurnProps = { turn: SessionTurn; backend: string }

/** A turn that runs is followed. One that has ended shows its answer; its steps are loaded on demand. */
function Turn({ turn, backend }: TurnProps) {
  const areStepsOpen = useSignal(false)
  const isLive = isRunning(turn)
  return (
    <article class="turn">
      <PromptView text={turn.prompt} id={turn.execution_id} files={turn.attachments} />
      {isLive ? <Steps id={turn.execution_id} /> : <Answer turn={turn} backend={backend} />}
      {!isLive && (
        <details onToggle={(event) => (areStepsOpen.value = event.currentTarget.open)}>
          <summary class="dim">Steps{formatCalls(turn.tools.length)}</summary>
          {areStepsOpen.value && <Steps id={turn.execution_id} />}
        </details>
      )}
    </article>
  )
}

function formatCalls(calls: number): string {
  if (calls === 0) return ''
  return calls === 1 ? ': 1 tool call' : `: ${calls} tool calls`
}

function Answer({ turn, backend }: TurnProps) {
  return (
    <>
      <div class="facts">
        <StateChip word={toStateWord(turn.state)} />
        {turn.duration_ms !== undefined && <span>{formatDuration(turn.duration_ms)}</span>}
        <Age time={turn.created_at} of="started" />
        <Tokens usage={turn.usage} backend={backend} cost={turn.cost_usd} kind={turn.cost_kind} />
        <a href={toHash('executions', turn.execution_id)}>Execution</a>
      </div>
      {turn.answer !== undefined && <Markdown text={turn.answer} />}
      {turn.error !== undefined && <p class="problem">{toVisible(turn.error)}</p>}
    </>
  )
}

function Steps({ id }: { id: string }) {
  return <ExecutionPanel followed={useExecution(id)} hasPrompt={false} />
}
