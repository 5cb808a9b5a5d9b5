/** What an execution has said and done. */
import { useLayoutEffect } from 'preact/hooks'
import type { SteeredMessage } from '../../agents/adapter/agent.shape.ts'
import { serverState } from '../live/server-state.ts'
import type { ApprovalItem, Transcript, TranscriptItem } from '../live/transcript.ts'
import { ApprovalCard } from '../parts/approval-card.tsx'
import { JumpToLatest } from '../parts/jump-to-latest.tsx'
import { LongList } from '../parts/long-list.tsx'
import { Markdown } from '../parts/markdown-view.tsx'
import { Code } from '../parts/text-view.tsx'
import { describeDecision, nameDecider } from '../text/approval-text.ts'
import { toLine, toVisible, withoutOutcome } from '../text/visible-text.ts'
import { ToolCall } from './tool-call.tsx'

/** A text that still grows is shown as it is from this length on: it would be parsed again and again. */
const PARSED_WHILE_OPEN = 20_000

type ViewProps = { transcript: Transcript; isLive: boolean; seq?: number | undefined }

/** `seq`: the event that the address names. */
export function TranscriptView({ transcript, isLive, seq }: ViewProps) {
  const target = transcript.items.findIndex((item) => shows(item, seq))
  useTarget(transcript.items[target]?.seq)
  return (
    <div class="transcript">
      <LongList
        items={transcript.items}
        target={target}
        keyOf={(item) => item.seq}
        view={(item) => <ItemView item={item} />}
      />
      {isLive && <JumpToLatest version={transcript.lastSeq} />}
    </div>
  )
}

function shows(item: TranscriptItem, seq: number | undefined): boolean {
  return seq !== undefined && (item.seq === seq || (item.kind === 'tool' && item.result?.seq === seq))
}

/** Shows the item once it is there. */
function useTarget(key: number | undefined): void {
  useLayoutEffect(() => {
    if (key === undefined) return
    const element = document.querySelector(`.transcript [data-key="${key}"]`)
    element?.classList.add('target')
    element?.querySelector('details')?.setAttribute('open', '')
    element?.scrollIntoView({ block: 'center' })
    return () => element?.classList.remove('target')
  }, [key])
}

function ItemView({ item }: { item: TranscriptItem }) {
  switch (item.kind) {
    case 'message':
      return <Message text={withoutOutcome(item.text)} isOpen={item.isOpen} />
    case 'thinking':
      return (
        <details class="thinking">
          <summary>Thinking</summary>
          <div class="as-is">{toVisible(item.text)}</div>
        </details>
      )
    case 'tool':
      return <ToolCall tool={item} />
    case 'approval':
      return <ApprovalView item={item} />
    case 'told':
      return <Told message={item.message} at={item.at} />
    case 'error':
      return (
        <div class="problem" role="alert">
          {item.code !== undefined && <code>{toLine(item.code)}</code>} {toVisible(item.message)}
        </div>
      )
  }
}

function Message({ text, isOpen }: { text: string; isOpen: boolean }) {
  if (isOpen && text.length > PARSED_WHILE_OPEN) return <div class="markdown as-is">{toVisible(text)}</div>
  return text === '' ? null : <Markdown text={text} />
}

function Told({ message, at }: { message: SteeredMessage; at: string }) {
  return (
    <div class="prompt">
      <Code text={message.text} />
      <p class="dim">
        {toLine(nameDecider(message.by))}
        {message.delivered === 'next_turn' && ', for its next turn'},{' '}
        <time dateTime={at}>{new Date(at).toLocaleString()}</time>
      </p>
    </div>
  )
}

/** With its decisions as long as the agent waits, afterwards as a line that says who decided. */
function ApprovalView({ item: { request, decided } }: { item: ApprovalItem }) {
  const pending = serverState.value.approvals.get(request.approval_id)
  if (pending !== undefined && decided === undefined) return <ApprovalCard approval={pending} isInExecution />
  return (
    <details class="tool">
      <summary>
        Asked for permission: <strong>{toLine(request.tool_name)}</strong>
        {decided !== undefined && (
          <span class="dim">
            {' '}
            {toLine(describeDecision(decided))},{' '}
            <time dateTime={decided.at}>{new Date(decided.at).toLocaleString()}</time>
          </span>
        )}
      </summary>
      {request.command !== undefined && <Code text={request.command} language="sh" />}
      {request.diff !== undefined && <Code text={request.diff} language="diff" />}
    </details>
  )
}
