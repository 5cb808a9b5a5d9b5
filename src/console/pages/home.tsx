/** What needs the user, what runs, what ran, and the agents. */
import { useEffect } from 'preact/hooks'
import type { Execution } from '../../executions/store/execution.shape.ts'
import { cancelExecution } from '../live/actions.ts'
import { askForNotifications, permission } from '../live/notifications.ts'
import { activeRuns, runs, waitingRuns } from '../live/poll-runs.ts'
import { toHash } from '../live/router.ts'
import {
  backends,
  executionsVersion,
  isRunning,
  isStateKnown,
  needsYou,
  refreshBackends,
  serverState,
  topExecutions,
} from '../live/server-state.ts'
import { ApprovalCard } from '../parts/approval-card.tsx'
import { Age, Elapsed, StateChip, Tokens } from '../parts/state-chip.tsx'
import { listRecent } from '../runs/recent.ts'
import { RunCard } from '../runs/run-choices.tsx'
import { RunRow } from '../runs/run-row.tsx'
import { describeHealth, describeProcesses, whyNoAgent } from '../text/agent-health.ts'
import { toStateWord } from '../text/state-word.ts'
import { toLine } from '../text/visible-text.ts'

export function HomePage() {
  // The number of their processes changes with what runs.
  useEffect(() => void refreshBackends().catch(() => undefined), [executionsVersion.value])
  const running = topExecutions.value.filter(isRunning)
  const count = running.length + activeRuns.value.length
  const ended = listRecent(
    topExecutions.value.filter((each) => !isRunning(each)),
    runs.value,
  )
  if (!isStateKnown.value) return <FirstLoad />
  return (
    <div class="home">
      <div>
        <h1 class="unseen">Home</h1>
        <NeedsYou />
        <section aria-labelledby="running">
          <h2 id="running">
            Running <span class="count">{count}</span>
          </h2>
          {count === 0 && <p class="dim">Nothing is running.</p>}
          {activeRuns.value.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
          {running.map((execution) => (
            <ExecutionRow key={execution.id} execution={execution} />
          ))}
        </section>
        <section aria-labelledby="recent">
          <h2 id="recent">Recent</h2>
          {ended.length === 0 && (
            <p class="dim">
              Nothing yet. <a href="#/new">Start a prompt</a>
              <span class="key-hint">
                {' '}
                (key <kbd>n</kbd>)
              </span>
              .
            </p>
          )}
          {ended.map((each) =>
            'run' in each ? (
              <RunRow key={each.run.id} run={each.run} />
            ) : (
              <ExecutionRow key={each.execution.id} execution={each.execution} />
            ),
          )}
        </section>
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

function NeedsYou() {
  const [waiting, waitingToo] = [needsYou.value, waitingRuns.value]
  const count = waiting.length + waitingToo.length
  return (
    <section aria-labelledby="needs-you" class="needs-you">
      <h2 id="needs-you">
        Needs you <span class="count">{count}</span>
      </h2>
      {count === 0 && <p class="dim">Nothing needs your attention.</p>}
      {waiting.map((approval) => (
        <ApprovalCard key={approval.approval_id} approval={approval} />
      ))}
      {waitingToo.map((run) => (
        <RunCard key={run.id} run={run} />
      ))}
      {permission.value === 'default' && (
        <button type="button" class="quiet" onClick={() => void askForNotifications()}>
          Notify me when something needs my attention
        </button>
      )}
    </section>
  )
}

/** A batch opens as a comparison, everything else as an execution. */
function toHref({ id, kind }: Execution): string {
  return kind === 'compare' || kind === 'parallel' || kind === 'chain'
    ? toHash('compare', id)
    : toHash('executions', id)
}

function ExecutionRow({ execution }: { execution: Execution }) {
  const { id, state, backend, kind, prompt_start: start, created_at: created, workdir } = execution
  const activity = serverState.value.activities.get(id)
  return (
    <div class="row">
      <a class="row-link" data-row href={toHref(execution)}>
        <StateChip word={toStateWord(state)} />
        <span class="row-backend">{toLine(backend ?? kind)}</span>
        <span class="row-text">{toLine(start ?? id)}</span>
      </a>
      <div class="row-facts dim">
        {isRunning(execution) ? <Elapsed execution={execution} /> : <Age time={created} />}
        <Tokens usage={execution.usage ?? activity?.usage} cost={execution.cost_usd} kind={execution.cost_kind} />
        <span class="path">{toLine(workdir ?? '')}</span>
      </div>
      {isRunning(execution) && (
        <div class="row-live">
          <span class="activity">{toLine(activity?.text ?? '')}</span>
          <button type="button" class="quiet" onClick={() => void cancelExecution(id)}>
            Cancel
          </button>
        </div>
      )}
    </div>
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
      {backends.value.some(({ demo, enabled }) => demo && enabled) && (
        <p class="dim">demo = not installed; canned answers, no model.</p>
      )}
    </aside>
  )
}
