/** One driven run: what it waits for, its attempts with checks and evidence, findings, the report. */
import type { DrivenRun, DrivenRunEvent } from '../../drive/service/driven-run.shape.ts'
import { usePageSubject } from '../live/page-subject.ts'
import { needsPerson } from '../live/poll-runs.ts'
import { toHash } from '../live/router.ts'
import { useRun } from '../live/use-run.ts'
import { Markdown } from '../parts/markdown-view.tsx'
import { Missing } from '../parts/missing.tsx'
import { Age, StateChip } from '../parts/state-chip.tsx'
import { AttemptView, CheckView } from '../runs/attempt-view.tsx'
import { BranchDiff } from '../runs/branch-diff.tsx'
import { RunCard, RunChoices } from '../runs/run-choices.tsx'
import { actionsText } from '../runs/run-facts.ts'
import { RunMachine } from '../runs/run-row.tsx'
import { formatCost, formatCount, formatDuration } from '../text/format.ts'
import { runStateWord } from '../text/state-word.ts'
import { toLine, toVisible } from '../text/visible-text.ts'

export function RunPage({ id }: { id: string }) {
  const { run, events, problem } = useRun(id)
  const { value } = run
  usePageSubject(value?.title)
  if (problem.value !== undefined) return <Missing what="run" problem={problem.value} href="#/runs" says="All runs" />
  if (value === undefined) return <p class="dim">Loading…</p>
  const { attempts = [], findings = [], report } = value
  const title = toLine(value.title)
  return (
    <div class="page" data-run-state={value.state}>
      <h1>{title.slice(0, 200)}</h1>
      {title !== toLine(value.goal) && <Markdown text={value.goal} />}
      <Verdict run={value} />
      <RunFacts run={value} />
      {needsPerson(value) ? <RunCard run={value} isOnRunPage /> : <RunChoices run={value} />}
      <Delivery run={value} />
      <CleanCheckout check={value.delivery_check} />
      <BranchDiff run={value} />
      <PinnedSections source={value.source} />
      <h2>Attempts</h2>
      {attempts.length === 0 && <p class="dim">None yet.</p>}
      {attempts.map((attempt) => (
        <AttemptView key={attempt.attempt} attempt={attempt} />
      ))}
      {findings.length > 0 && <h2>Review findings</h2>}
      {findings.map((finding, at) => (
        <p key={at} class="as-is">
          <code>{toLine(finding.location)}</code> <strong>{toLine(finding.summary)}</strong> {toVisible(finding.detail)}
        </p>
      ))}
      {report !== undefined && (
        <details class="report">
          <summary>Report</summary>
          <Markdown text={report} />
        </details>
      )}
      <EventLog events={events.value} />
    </div>
  )
}

function RunFacts({ run }: { run: DrivenRun }) {
  const { action, spent, limits } = run
  const tokens = limits.max_tokens === undefined ? '' : ` of ${formatCount(limits.max_tokens)}`
  const cost = limits.max_cost_usd === undefined ? '' : ` of ${formatCost(limits.max_cost_usd)}`
  return (
    <div class="facts">
      <StateChip word={runStateWord(run)} />
      <strong>
        {toLine(run.backend)}
        {run.is_demo === true && ' (demo)'}
      </strong>
      {run.review_backend !== undefined && <span>reviewed by {toLine(run.review_backend)}</span>}
      {action !== undefined && <span>now {toLine(action.kind)}</span>}
      <span>{actionsText(run)}</span>
      <span>
        {formatCount(spent.tokens)}
        {tokens} tokens
      </span>
      {spent.cost_usd > 0 && (
        <span>
          {formatCost(spent.cost_usd, spent.priced_usd !== undefined)}
          {cost}
        </span>
      )}
      <span>{formatDuration(spent.time_secs * 1000)}</span>
      <Age time={run.updated_at} of="changed" />
      <span class="path dim">{toLine(run.repository)}</span>
      <RunMachine run={run} />
      {run.issue !== undefined && <span class="path dim">{toLine(run.issue)}</span>}
      {run.checks.length > 0 && <span class="dim">checks: {toLine(run.checks.join(', '))}</span>}
      {run.previous_run_id !== undefined && <a href={toHash('runs', run.previous_run_id)}>Previous round</a>}
      {run.next_run_id !== undefined && <a href={toHash('runs', run.next_run_id)}>Next round</a>}
    </div>
  )
}

/** In one line, with what to look at before the work is used. */
function Verdict({ run: { verdict } }: { run: DrivenRun }) {
  const { word, line, look_first: lookFirst, next } = verdict
  return (
    <>
      <p>
        <strong>{lookFirst.length === 0 ? toLine(line) : word}</strong>
      </p>
      {lookFirst.map((each) => (
        <p key={each} class="warning">
          {toLine(each)}
        </p>
      ))}
      {word !== 'running' && (
        <p class="dim">
          Next: <code>{toLine(next)}</code>
        </p>
      )}
    </>
  )
}

function Delivery({ run: { delivered, branch } }: { run: DrivenRun }) {
  if (delivered === undefined) {
    return branch === undefined ? null : (
      <p class="dim">
        Branch <code>{toLine(branch)}</code>
      </p>
    )
  }
  const { branch: on, commit, pull_request: request, note } = delivered
  return (
    <p>
      {commit === undefined ? 'No commit.' : `Commit ${toLine(commit).slice(0, 12)} on `}
      {commit !== undefined && on !== undefined && <code>{toLine(on)}</code>}
      {request !== undefined && <span> as {toLine(request)}</span>}
      {note !== undefined && <span> {toLine(note)}</span>}
    </p>
  )
}

/** The commit was checked out alone and checked there: only that says whether the work passes. */
function CleanCheckout({ check }: { check: DrivenRun['delivery_check'] }) {
  if (check === undefined) return null
  const { result, reason, setup_failed: setup, checks } = check
  return (
    <section data-clean-checkout={result}>
      <h2>Clean checkout of the commit</h2>
      <p class={result === 'failed' ? 'problem' : 'dim'}>
        {result === 'passed' ? 'Every check passes there.' : result === 'failed' ? 'A check fails there.' : 'Not done.'}
        {reason !== undefined && ` ${toLine(reason)}`}
      </p>
      {[...(setup === undefined ? [] : [{ ...setup, passed: false }]), ...checks].map((each, at) => (
        <CheckView key={at} check={each} />
      ))}
    </section>
  )
}

/** What the run must fulfil, as it was in the issue when the run was bound to it. */
function PinnedSections({ source }: { source: DrivenRun['source'] | undefined }) {
  if (source === undefined) return null
  return (
    <details class="report">
      <summary>Requirements: {toLine(source.title)}</summary>
      {source.sections.map(({ key, role, title, markdown }) => (
        <section key={key}>
          <h3>
            {toLine(title)} <span class="dim">{toLine(role)}</span>
          </h3>
          <Markdown text={markdown} />
        </section>
      ))}
    </details>
  )
}

function EventLog({ events }: { events: readonly DrivenRunEvent[] }) {
  return (
    <details class="report">
      <summary>Events ({events.length})</summary>
      <ol class="events">
        {events.map((event) => (
          <li key={event.seq}>
            <time dateTime={event.at}>{new Date(event.at).toLocaleTimeString()}</time>{' '}
            {toLine(event.type.replaceAll('_', ' '))}
          </li>
        ))}
      </ol>
    </details>
  )
}
