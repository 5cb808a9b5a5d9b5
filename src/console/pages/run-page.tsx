/** One driven run: its head, what drover saw in one line, and what happened, changed and was proved, each in a tab. */
import { useSignal } from '@preact/signals'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { usePageSubject } from '../live/browser-tab.ts'
import { route, toHash } from '../live/router.ts'
import { useDiff } from '../live/use-diff.ts'
import { useRun } from '../live/use-run.ts'
import { Markdown } from '../parts/markdown-view.tsx'
import { Loading, Missing } from '../parts/placeholders.tsx'
import { ActivityTab } from '../runs/activity-tab.tsx'
import { EvidenceTab } from '../runs/evidence-tab.tsx'
import { FilesTab } from '../runs/files-tab.tsx'
import { ChangeForm, useNextRound } from '../runs/follow-up.tsx'
import { ReportTab } from '../runs/report-tab.tsx'
import { RunCard } from '../runs/run-choices.tsx'
import { cardButton } from '../runs/run-facts.ts'
import { mayFollowUp, RunHead } from '../runs/run-head.tsx'
import { VerdictStrip } from '../runs/verdict-strip.tsx'
import { toLine } from '../text/visible-text.ts'

const TABS = ['activity', 'files', 'evidence', 'report'] as const
type Tab = (typeof TABS)[number]

export function RunPage({ id }: { id: string }) {
  const { run, events, problem } = useRun(id)
  const { value } = run
  const isChanging = useSignal(false)
  const asked = route.value.query.get('tab')
  const tab = TABS.find((each) => each === asked) ?? 'activity'
  const { diff, problem: diffProblem, size } = useDiff(value, tab === 'files' || tab === 'evidence')
  usePageSubject(value?.title)
  useNextRound(value)
  if (problem.value !== undefined) return <Missing what="run" problem={problem.value} href="#/runs" says="All runs" />
  if (value === undefined) return <Loading />
  return (
    <div class="run" data-run-state={value.state}>
      <RunHead run={value} onChange={() => (isChanging.value = !isChanging.value)} />
      <Verdict run={value} />
      {cardButton(value) !== undefined && <RunCard run={value} isOnRunPage />}
      {isChanging.value && <ChangeForm run={value} onDone={() => (isChanging.value = false)} />}
      <VerdictStrip run={value} size={size} />
      <Tabs id={id} tab={tab} files={size?.files} />
      {tab === 'activity' && <Goal run={value} />}
      {tab === 'activity' && <ActivityTab run={value} events={events.value} />}
      {tab === 'files' && <FilesTab run={value} diff={diff} problem={diffProblem} mayComment={mayFollowUp(value)} />}
      {tab === 'evidence' && <EvidenceTab run={value} diff={diff} />}
      {tab === 'report' && <ReportTab run={value} />}
    </div>
  )
}

/** What the goal says besides the title. */
function Goal({ run: { goal } }: { run: DrivenRun }) {
  const rest = goal.trim().split('\n').slice(1).join('\n').trim()
  return rest === '' ? null : <Markdown text={rest} />
}

function Tabs({ id, tab, files }: { id: string; tab: Tab; files: number | undefined }) {
  return (
    <nav class="tabs" aria-label="Parts of the run">
      {TABS.map((each) => (
        <a key={each} href={toHash('runs', id, { tab: each })} aria-current={each === tab ? 'page' : undefined}>
          {each.slice(0, 1).toUpperCase() + each.slice(1)}
          {each === 'files' && files !== undefined && <span class="count">{files}</span>}
        </a>
      ))}
    </nav>
  )
}

/** In one line, unless the card of the run says it, with what to look at before the work is used. */
function Verdict({ run }: { run: DrivenRun }) {
  const { word, line, look_first: lookFirst } = run.verdict
  if (word === 'running' || word === 'delivered') return null
  return (
    <>
      {cardButton(run) === undefined && (
        <p class="verdict-line">{word === 'delivered, look first' ? word : toLine(line)}</p>
      )}
      {lookFirst.map((each) => (
        <p key={each} class="warning">
          {toLine(each)}
        </p>
      ))}
    </>
  )
}
