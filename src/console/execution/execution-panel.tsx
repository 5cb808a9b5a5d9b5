/** One execution: facts, prompt, transcript. The same on its own page, in a session and in a comparison. */
import { useState } from 'preact/hooks'
import type { AttachmentRecord, Execution } from '../../executions/store/execution.shape.ts'
import type { ApprovalRecord } from '../../prompts/prompt-result.shape.ts'
import { cancelExecution, say, submits } from '../live/actions.ts'
import { isRunning } from '../live/server-state.ts'
import type { Transcript } from '../live/transcript.ts'
import type { FollowedExecution } from '../live/use-execution.ts'
import { ApprovalLine } from '../parts/approval-card.tsx'
import { AttachedFiles } from '../parts/attach-files.tsx'
import { Markdown } from '../parts/markdown-view.tsx'
import { Age, Elapsed, Owner, StateChip, Tokens } from '../parts/state-chip.tsx'
import { Code } from '../parts/text-view.tsx'
import { describeMissing, isMissing, NOT_STORED } from '../text/describe-missing.ts'
import { nameExecution } from '../text/execution-facts.ts'
import { executionStateWord } from '../text/state-word.ts'
import { toLine, toVisible } from '../text/visible-text.ts'
import { TranscriptView } from './transcript-view.tsx'

type PanelProps = { followed: FollowedExecution; hasPrompt?: boolean; hasFacts?: boolean; seq?: number | undefined }

export function ExecutionPanel({ followed, hasPrompt = true, hasFacts = true, seq }: PanelProps) {
  const record = followed.record.value
  const transcript = followed.transcript.value
  const problem = followed.problem.value
  if (problem !== undefined) {
    // What led here names it, so it was there.
    return isMissing(problem) ? (
      <p class="dim">{NOT_STORED}</p>
    ) : (
      <p class="problem">{toVisible(describeMissing('execution', problem).title)}</p>
    )
  }
  if (record === undefined) return <p class="dim">Loading…</p>
  const isLive = isRunning(record)
  return (
    <section class="execution" data-state={record.state}>
      {hasFacts && <ExecutionFacts record={record} transcript={transcript} isCut={followed.isCut.value} />}
      {hasPrompt && record.prompt !== undefined && (
        <PromptView text={record.prompt} id={record.id} files={record.attachments} />
      )}
      <TranscriptView transcript={transcript} isLive={isLive} seq={seq} />
      {record.state === 'running' && record.backend !== undefined && <SayBox id={record.id} />}
      <ExecutionEnd record={record} transcript={transcript} hasNotes={hasFacts} />
    </section>
  )
}

function ExecutionFacts(props: { record: Execution; transcript: Transcript; isCut: boolean }) {
  const { record, transcript, isCut } = props
  const model = record.model ?? transcript.model
  return (
    <header class="facts">
      <StateChip word={executionStateWord(record)} />
      <strong>
        {nameExecution(record)}
        {record.is_demo === true && ' (demo)'}
        {record.kind === 'dry_run' && ' (dry run)'}
      </strong>
      {model !== undefined && record.is_demo !== true && <span>{toLine(model)}</span>}
      <Owner of={record} />
      <Elapsed execution={record} />
      <Age time={record.created_at} of="started" />
      <Tokens
        usage={record.usage ?? transcript.usage}
        backend={record.backend}
        cost={record.cost_usd}
        kind={record.cost_kind}
      />
      {record.workdir !== undefined && <span class="path dim">{toLine(record.workdir)}</span>}
      {isCut && <span class="cut">connection cut, connecting again…</span>}
      {isRunning(record) && (
        <button type="button" class="danger" onClick={() => void cancelExecution(record.id)}>
          {record.kind === 'action' ? 'Cancel this attempt' : 'Cancel'}
        </button>
      )}
    </header>
  )
}

type PromptProps = { text: string; id?: string; files?: readonly AttachmentRecord[] | undefined }

/** `id` and `files`: the execution, and what came with the prompt. */
export function PromptView({ text, id = '', files }: PromptProps) {
  return (
    <div class="prompt">
      <Code text={text} />
      <AttachedFiles id={id} files={files} />
    </div>
  )
}

type EndProps = { record: Execution; transcript: Transcript; hasNotes: boolean }
type Result = { output?: unknown; error?: unknown; warnings?: unknown; approvals?: readonly ApprovalRecord[] }

/** What is not among the events: the answer if only results are kept, why it failed, warnings. */
function ExecutionEnd({ record, transcript, hasNotes }: EndProps) {
  const { output, error, warnings, approvals = [] } = (record.result ?? {}) as Result
  const hasAnswer = transcript.items.some(({ kind }) => kind === 'message')
  const hasEvents = transcript.items.length > 0
  const hasError = transcript.items.some(({ kind }) => kind === 'error')
  const problem = record.error?.message ?? (hasError ? undefined : error)
  const notes = !hasNotes ? [] : Array.isArray(warnings) ? warnings.map(String) : transcript.warnings
  return (
    <>
      {!hasEvents && approvals.map((approval) => <ApprovalLine key={approval.approval_id} approval={approval} />)}
      {!hasAnswer && typeof output === 'string' && output !== '' && <Markdown text={output} />}
      {typeof problem === 'string' && (
        <div class="problem" role="alert">
          {toVisible(problem)}
        </div>
      )}
      {record.state === 'lost' && <p class="problem">Its process died, so the end is unknown.</p>}
      {notes.map((note) => (
        <p key={note} class="warning">
          {toVisible(note)}
        </p>
      ))}
    </>
  )
}

/** Tells an agent something while it works. */
function SayBox({ id }: { id: string }) {
  const [text, setText] = useState('')
  const [isSending, setSending] = useState(false)
  const send = async () => {
    setSending(true)
    if (await say(id, text)) setText('')
    setSending(false)
  }
  return (
    <form class="actions" onSubmit={submits(send)}>
      <textarea
        aria-label="Message to the agent"
        placeholder="Tell the agent something while it works"
        rows={2}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" disabled={isSending || text.trim() === ''}>
        Send
      </button>
    </form>
  )
}
