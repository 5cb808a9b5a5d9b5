/** What needs the user, what runs, what ran, and the agents. */

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { ExecutionRow } from '../execution/execution-row.tsx'
import { attempt } from '../live/actions.ts'
import { findDraft } from '../live/drafts.ts'
import { activeRuns, areRunsKnown, runs, waitingRuns } from '../live/known-runs.ts'
import { askForNotifications, permission } from '../live/notifications.ts'
import { now } from '../live/now.ts'
import {
  backends,
  executionsVersion,
  isRunning,
  isStateKnown,
  mayBeOlder,
  needsYou,
  readOlder,
  refreshBackends,
  topExecutions,
} from '../live/server-state.ts'
import { ApprovalCard } from '../parts/approval-card.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Age } from '../parts/state-chip.tsx'
import { groupByDay, listRecent, type Recent } from '../runs/recent.ts'
import { RunCard } from '../runs/run-choices.tsx'
import { describeReason } from '../runs/run-facts.ts'
import { RunRow } from '../runs/run-row.tsx'
import { describeHealth, describeProcesses, whyNoAgent } from '../text/agent-health.ts'
import { nameOfRepository } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'
import { ComposeBox, type ComposeMode } from './compose-box.tsx'

export function HomePage() {
  // The number of their processes changes with what runs.
  useEffect(() => void refreshBackends().catch(() => undefined), [executionsVersion.value])
  if (!isStateKnown.value) return <FirstLoad />
  // What works on a run is shown by the run.
  const own = topExecutions.value.filter(({ kind }) => kind !== 'action')
  const running = own.filter(isRunning)
  const ended = own.filter((each) => !isRunning(each))
  const recent = listRecent(ended, runs.value)
  const isFirst = recent.length + running.length + runs.value.length === 0
  return (
    <div class="home">
      <div>
        <h1 class="unseen">Home</h1>
        <ComposeBox />
        <NeedsYou />
        <Running executions={running} />
        {isFirst && areRunsKnown.value ? <FirstSteps /> : <RecentList items={recent} />}
      </div>
      <Agents />
    </div>
  )
}

/** Nothing is known yet, so nothing is called empty. */
function FirstLoad() {
  return (
    <>
      <h1 class="unseen">Home</h1>
      <p class="dim">Loading…</p>
    </>
  )
}

function Running({ executions }: { executions: readonly Execution[] }) {
  const count = executions.length + activeRuns.value.length
  if (count === 0) return null
  return (
    <section aria-labelledby="running">
      <h2 id="running">
        Working <span class="count">{count}</span>
      </h2>
      {activeRuns.value.map((run) => (
        <RunRow key={run.id} run={run} />
      ))}
      {executions.map((execution) => (
        <ExecutionRow key={execution.id} execution={execution} />
      ))}
    </section>
  )
}

/** One line each, by day. */
function RecentList({ items }: { items: readonly Recent[] }) {
  if (items.length === 0) return null
  return (
    <section aria-labelledby="recent">
      <h2 id="recent">Recent</h2>
      {groupByDay(items, now.value).map(({ day, items: shown }) => (
        <div key={day}>
          <h3 class="day dim">{day}</h3>
          {shown.map((each) =>
            'run' in each ? (
              <RunRow key={each.run.id} run={each.run} />
            ) : (
              <ExecutionRow key={each.execution.id} execution={each.execution} />
            ),
          )}
        </div>
      ))}
      {mayBeOlder.value && (
        <button type="button" onClick={() => void attempt(readOlder)}>
          Show older
        </button>
      )}
    </section>
  )
}

/** What a first visit can try: one of each. */
const STEPS: readonly { mode: ComposeMode; says: string; text: string }[] = [
  { mode: 'prompt', says: 'Ask one agent', text: 'Explain what this project does, in five sentences.' },
  { mode: 'change', says: 'Have something changed', text: 'Add a test for the function that has none.' },
  { mode: 'compare', says: 'Compare agents', text: 'Find the slowest test, and say why it is slow.' },
]

function FirstSteps() {
  const [text, chosen] = [findDraft('compose'), findDraft('compose mode')]
  return (
    <section aria-labelledby="first">
      <h2 id="first">Three things to try</h2>
      <div class="tries">
        {STEPS.map(({ mode, says, text: step }) => (
          <button
            key={mode}
            type="button"
            class="try"
            onClick={() => {
              text.value = step
              chosen.value = mode
            }}
          >
            <strong>{says}</strong>
            <span class="dim">{step}</span>
          </button>
        ))}
      </div>
    </section>
  )
}

function Agents() {
  const problem = whyNoAgent(backends.value)
  return (
    <aside aria-labelledby="agents">
      <h2 id="agents">Agents</h2>
      <ul class="plain">
        {backends.value.map((backend) => (
          <li key={backend.name} class="agent">
            <strong>{backend.name}</strong>{' '}
            <span class={`health health-${describeHealth(backend).replace(' ', '-')}`}>{describeHealth(backend)}</span>
            <div class="dim">
              {[...(backend.version === null ? [] : [backend.version]), ...describeProcesses(backend)].join(', ')}
            </div>
          </li>
        ))}
      </ul>
      {problem !== undefined && <p class="warning">{problem}</p>}
      {permission.value === 'default' && (
        <button type="button" class="quiet" onClick={() => void askForNotifications()}>
          Notify this browser when something needs me
        </button>
      )}
      {backends.value.some(({ demo, enabled }) => demo && enabled) && (
        <p class="dim">demo = not installed; canned answers, no model.</p>
      )}
    </aside>
  )
}

type Waiting = {
  key: string
  icon: IconName
  title: string
  says: string
  where?: string
  at: string
  /** The keys that decide work on its row too. */
  approvalId?: string
  card: ComponentChildren
}

/** What waits for the user: a list, and beside it what is chosen in it, with the buttons that decide. */
function NeedsYou() {
  const chosen = useSignal('')
  const items = listWaiting()
  const [first] = items
  if (first === undefined) return null
  const shown = items.find(({ key }) => key === chosen.value) ?? first
  return (
    <section aria-label="Needs you" class="needs-you">
      <h2>
        Needs you <span class="count">{items.length}</span>
      </h2>
      <div class={items.length > 1 ? 'list-and-detail' : ''}>
        {items.length > 1 && (
          <div class="needs-list">
            {items.map((item) => (
              <Row key={item.key} item={item} isShown={item === shown} onShow={() => (chosen.value = item.key)} />
            ))}
          </div>
        )}
        <div class={items.length > 1 ? 'detail' : ''}>{shown.card}</div>
      </div>
    </section>
  )
}

function listWaiting(): Waiting[] {
  const approvals = needsYou.value.map((approval): Waiting => {
    const { approval_id: id, tool_name: tool, command, reason, questions, asked_at: at } = approval
    const says = questions?.[0]?.text ?? command ?? reason ?? ''
    const [icon, title] = questions === undefined ? (['terminal', tool] as const) : (['question', 'Question'] as const)
    return {
      ...{ key: id, approvalId: id, icon, title, says, at },
      card: <ApprovalCard key={id} approval={approval} />,
    }
  })
  const runs = waitingRuns.value.map((run): Waiting => {
    return {
      ...{ key: run.id, icon: run.waits_for === undefined ? 'pause' : 'question', title: run.title },
      ...{ says: describeReason(run), where: nameOfRepository(run.repository) },
      ...{ at: run.updated_at, card: <RunCard key={run.id} run={run} /> },
    }
  })
  return [...approvals, ...runs]
}

function Row({ item, isShown, onShow }: { item: Waiting; isShown: boolean; onShow: () => void }) {
  const { icon, title, says, where, at, approvalId } = item
  return (
    <button
      type="button"
      class="needs-row"
      data-row
      data-approval={approvalId}
      aria-pressed={isShown}
      onFocus={onShow}
      onClick={onShow}
    >
      <Icon name={icon} />
      <span class="needs-text">
        <strong>{toLine(title)}</strong>
        <span class="dim">{toLine(says)}</span>
      </span>
      <span class="dim">
        <Age time={at} />
        {where !== undefined && <span>{toLine(where)}</span>}
      </span>
    </button>
  )
}
