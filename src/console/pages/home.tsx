/** What needs the user, what runs, what ran, and the agents. */
import { useEffect } from 'preact/hooks'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { ExecutionRow } from '../execution/execution-row.tsx'
import { attempt } from '../live/actions.ts'
import { findDraft } from '../live/drafts.ts'
import { activeRuns, areRunsKnown, runs } from '../live/known-runs.ts'
import { askForNotifications, permission } from '../live/notifications.ts'
import { now } from '../live/now.ts'
import {
  backends,
  executionsVersion,
  isRunning,
  isStateKnown,
  mayBeOlder,
  readOlder,
  refreshBackends,
  topExecutions,
} from '../live/server-state.ts'
import { groupByDay, listRecent, type Recent } from '../runs/recent.ts'
import { RunRow } from '../runs/run-row.tsx'
import { describeHealth, describeProcesses, whyNoAgent } from '../text/agent-health.ts'
import { ComposeBox, type ComposeMode } from './compose-box.tsx'
import { NeedsYou } from './needs-you.tsx'

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
