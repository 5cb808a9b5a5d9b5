/** What happened in a run, along a line of time. An attempt folds open to what its agent said and did. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { DrivenRunEvent } from '../../drive/service/driven-run-event.shape.ts'
import { ExecutionPanel } from '../execution/execution-panel.tsx'
import { toHash } from '../live/router.ts'
import { useExecution } from '../live/use-execution.ts'
import { ApprovalLine } from '../parts/approval-card.tsx'
import { Icon } from '../parts/icon.tsx'
import { JumpToLatest } from '../parts/jump-to-latest.tsx'
import { Tokens } from '../parts/state-chip.tsx'
import { toLine, toVisible } from '../text/visible-text.ts'
import { CheckOutput, describeCheck } from './check-view.tsx'
import { ACTION_MEANS } from './run-facts.ts'
import { type DrivenAttempt, type ShownCheck, type TimelineNode, toTimeline } from './timeline.ts'

export function ActivityTab({ run, events }: { run: DrivenRun; events: readonly DrivenRunEvent[] }) {
  const nodes = toTimeline(run, events)
  if (nodes.length === 0) return <p class="dim">Nothing has happened yet.</p>
  return (
    <ol class="timeline plain">
      {nodes.map((node, at) => (
        <li key={node.key} class={`node node-${node.how}`}>
          <span class="node-mark">
            <Icon name={node.icon} />
          </span>
          <div class="node-body">
            <NodeView node={node} isLast={at === nodes.length - 1} />
          </div>
        </li>
      ))}
      {run.state === 'running' && <JumpToLatest version={nodes.length} />}
    </ol>
  )
}

function NodeView({ node, isLast }: { node: TimelineNode; isLast: boolean }) {
  const { title, detail, at } = node
  const time = (
    <time class="dim node-time" dateTime={at} title={new Date(at).toLocaleString()}>
      {new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit' })}
    </time>
  )
  if ('attempt' in node) return <AttemptNode attempt={node.attempt} title={title} detail={detail} time={time} />
  if ('check' in node) return <CheckNode check={node.check} title={title} time={time} isOpen={isLast} />
  return (
    <div class="node-head">
      <strong>{title}</strong>
      <span class="node-detail">{toVisible(detail)}</span>
      {time}
    </div>
  )
}

type CheckProps = { check: ShownCheck; title: string; time: ComponentChildren; isOpen: boolean }

/** Only the last one is open from the beginning, if it failed. */
function CheckNode({ check, title, time, isOpen }: CheckProps) {
  return (
    <details open={isOpen && !check.passed}>
      <summary class="node-head">
        <strong>{title}</strong>
        <code class="node-detail">{toLine(check.command)}</code>
        <span class={check.passed ? 'dim' : 'problem'}>{describeCheck(check)}</span>
        {time}
      </summary>
      <CheckOutput check={check} />
    </details>
  )
}

type AttemptProps = { attempt: DrivenAttempt; title: string; detail: string; time: ComponentChildren }

function AttemptNode({ attempt, title, detail, time }: AttemptProps) {
  const { how, summary, error, approvals = [], warnings } = attempt
  const isOpen = useSignal(how === 'running')
  return (
    <>
      <details open={isOpen.value} onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary class="node-head">
          <strong title={ACTION_MEANS[attempt.action_kind]}>{toLine(title)}</strong>
          <span class="dim">{toLine(detail)}</span>
          <span class="dim">
            <Tokens usage={attempt.usage} backend={attempt.backend} cost={attempt.cost_usd} kind={attempt.cost_kind} />
          </span>
          {time}
        </summary>
        {isOpen.value && <Steps id={attempt.execution_id} />}
        {warnings.length > 0 && (
          <details class="thinking">
            <summary>{warnings.length === 1 ? '1 note' : `${warnings.length} notes`}</summary>
            <div class="as-is">{toVisible(warnings.join('\n'))}</div>
          </details>
        )}
        <a href={toHash('executions', attempt.execution_id)}>Open as a page</a>
      </details>
      {summary !== undefined && <p class="as-is">{toVisible(summary)}</p>}
      {error !== undefined && <p class="problem">{toVisible(error)}</p>}
      {approvals.map((approval) => (
        <ApprovalLine key={approval.approval_id} approval={approval} />
      ))}
    </>
  )
}

function Steps({ id }: { id: string }) {
  return <ExecutionPanel followed={useExecution(id)} hasPrompt={false} hasFacts={false} />
}
