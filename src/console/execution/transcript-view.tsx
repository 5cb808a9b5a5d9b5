/** What an execution has said and done. */
import { useLayoutEffect, useRef } from 'preact/hooks'
import { serverState } from '../live/server-state.ts'
import type { ApprovalItem, Transcript, TranscriptItem } from '../live/transcript.ts'
import { ApprovalCard } from '../parts/approval-card.tsx'
import { LongList } from '../parts/long-list.tsx'
import { Markdown } from '../parts/markdown-view.tsx'
import { Code } from '../parts/text-view.tsx'
import { describeDecision } from '../text/describe-decision.ts'
import { toLine, toVisible } from '../text/visible-text.ts'
import { ToolCall } from './tool-call.tsx'

/** A text that still grows is shown as it is from this length on: it would be parsed again and again. */
const PARSED_WHILE_OPEN = 20_000

type ViewProps = { transcript: Transcript; isLive: boolean; seq?: number | undefined }

/** `seq`: the event that the address names. */
export function TranscriptView({ transcript, isLive, seq }: ViewProps) {
  const target = transcript.items.findIndex((item) => shows(item, seq))
  useFollowedEnd(isLive && target === -1)
  useTarget(transcript.items[target]?.seq)
  return (
    <div class="transcript">
      <LongList
        items={transcript.items}
        target={target}
        keyOf={(item) => item.seq}
        view={(item) => <ItemView item={item} />}
      />
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
  }, [key])
}

function ItemView({ item }: { item: TranscriptItem }) {
  switch (item.kind) {
    case 'message':
      return item.isOpen && item.text.length > PARSED_WHILE_OPEN ? (
        <div class="markdown as-is">{toVisible(item.text)}</div>
      ) : (
        <Markdown text={item.text} />
      )
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
    case 'error':
      return (
        <div class="problem" role="alert">
          {item.code !== undefined && <code>{toLine(item.code)}</code>} {toVisible(item.message)}
        </div>
      )
  }
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

const NEAR_END = 120

/** Keeps the end in view while text arrives, unless the user has scrolled up. */
function useFollowedEnd(isLive: boolean): void {
  const wasAtEnd = useRef(true)
  useLayoutEffect(() => {
    if (isLive && wasAtEnd.current) window.scrollTo({ top: document.documentElement.scrollHeight })
    const note = () => {
      const { scrollTop, clientHeight, scrollHeight: height } = document.documentElement
      wasAtEnd.current = height - scrollTop - clientHeight < NEAR_END
    }
    window.addEventListener('scroll', note, { passive: true })
    return () => window.removeEventListener('scroll', note)
  })
}
