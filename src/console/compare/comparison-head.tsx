/** Who took part in a comparison, with checks, changes and cost; whose work is kept; and what each has changed. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { KeepResult } from '../../prompts/prompt-result.shape.ts'
import type { ComparedDiff, ComparisonView } from '../../service/comparison.shape.ts'
import { FileHead, FileLines } from '../diff/file-diff.tsx'
import { PromptView } from '../execution/execution-panel.tsx'
import { attempt, cancelExecution, saveJson, tell } from '../live/actions.ts'
import { call, sender } from '../live/api.ts'
import { isRunning } from '../live/server-state.ts'
import { useWideEnough } from '../live/use-layout.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Copyable } from '../parts/copy-button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Age, StateChip, Tokens } from '../parts/state-chip.tsx'
import { Wide } from '../parts/text-view.tsx'
import { formatDuration } from '../text/format.ts'
import { toStateWord } from '../text/state-word.ts'
import { toLine } from '../text/visible-text.ts'

type Contender = ComparisonView['contenders'][number]

type ComparisonHeadProps = { view: ComparisonView; onKept: () => void }

export function ComparisonHead({ view, onKept }: ComparisonHeadProps) {
  const shown = useSignal<string | undefined>(undefined)
  const { contenders, prompt, winner } = view
  const hasWork = contenders.some(({ worktree, work }) => worktree !== undefined || work !== 'none')
  const keep = async (name: string | undefined) => {
    const body = { comparison: view.id, ...(name !== undefined && { name }) }
    const done = await attempt(() => call<KeepResult>('compare/keep', { method: 'POST', body }))
    if (done !== undefined)
      tell(done.kept === undefined ? 'All work is dropped.' : `Kept as the branch ${done.kept.branch}.`)
    onKept()
  }
  const withDiff = contenders.filter(({ work }) => work === 'open' || work === 'kept')
  return (
    <div class="page wide-page">
      <header class="page-head">
        <h1>Comparison</h1>
        <span class="facts">
          <ComparisonState state={view.state} view={view} />
          <Age time={view.created_at} />
          {isRunning(view) && (
            <button type="button" class="danger" onClick={() => void cancelExecution(view.id)}>
              Cancel all agents
            </button>
          )}
        </span>
      </header>
      <p class="dim">
        {/* The command would not find the comparison of a key. */}
        <Copyable text={sender.value?.name === undefined ? `drover compare --show ${view.id}` : view.id} />{' '}
        <button type="button" class="small" onClick={() => saveJson(view, `comparison-${view.id}.json`)}>
          Download JSON
        </button>
      </p>
      {prompt !== undefined && <PromptView text={prompt} />}
      {winner !== undefined && <Kept view={view} winner={winner} />}
      <Wide>
        <table class="contenders stacked">
          <thead>
            <tr>
              {['Agent', 'State', ...(hasWork ? ['Checks', 'Changes'] : []), 'Time', 'Tokens and cost'].map((name) => (
                <th key={name}>{name}</th>
              ))}
              {hasWork && <th>Work</th>}
            </tr>
          </thead>
          <tbody>
            {contenders.map((each) => (
              <ContenderRow
                key={each.name}
                each={each}
                hasWork={hasWork}
                isCutOff={view.state === 'lost'}
                isWinner={each.name === winner}
                onKeep={keep}
              />
            ))}
          </tbody>
        </table>
      </Wide>
      {(view.warnings ?? []).map((warning) => (
        <p key={warning} class="warning">
          {toLine(warning)}
        </p>
      ))}
      {contenders.some(({ work }) => work === 'open') && (
        <div class="actions">
          <ConfirmButton
            says="Drop all work"
            asks="The commits can be found with git for some weeks."
            onConfirm={() => void keep(undefined)}
          />
        </div>
      )}
      {withDiff.length > 0 && (
        <section aria-labelledby="changes">
          <h2 id="changes">Changes</h2>
          <fieldset class="segments" aria-label="Whose changes">
            {withDiff.map(({ name }) => (
              <button
                key={name}
                type="button"
                aria-pressed={(shown.value ?? withDiff[0]?.name) === name}
                onClick={() => (shown.value = name)}
              >
                {toLine(name)}
              </button>
            ))}
          </fieldset>
          <ComparedFiles
            key={`${shown.value ?? withDiff[0]?.name} ${winner ?? ''}`}
            id={view.id}
            name={shown.value ?? withDiff[0]?.name ?? ''}
          />
        </section>
      )}
    </div>
  )
}

/** If some of its agents failed, the others have answered. */
export function ComparisonState({ state, view }: { state: ComparisonView['state']; view: ComparisonView | undefined }) {
  const all = view?.contenders ?? []
  const failed = all.filter((each) => each.state === 'failed').length
  return state === 'failed' && failed < all.length && failed > 0 ? (
    <StateChip word="partly failed" says={`${failed} of ${all.length} failed`} />
  ) : (
    <StateChip word={toStateWord(state)} />
  )
}

/** Whose work was kept, and how it gets into a branch of the user. */
function Kept({ view, winner }: { view: ComparisonView; winner: string }) {
  const { branch, repository = '' } = view.contenders.find(({ name }) => name === winner)?.worktree ?? {}
  return (
    <>
      <p class="winner">
        <Icon name="check" /> The work of <strong>{toLine(winner)}</strong> was kept
        {branch === undefined ? '' : ` as ${toLine(branch)}`}.
      </p>
      {branch !== undefined && (
        <p>
          To merge it into your branch, in {toLine(repository)}: <Copyable text={`git merge ${branch}`} />
        </p>
      )}
    </>
  )
}

type ContenderRowProps = {
  each: Contender
  hasWork: boolean
  /** Drover was killed before the checks. */
  isCutOff: boolean
  isWinner: boolean
  onKeep: (name: string) => Promise<void>
}

/** Why no cost stands beside the tokens. */
function NoCost({ each: { token_usage: usage, cost_usd: cost, cost_kind: kind } }: Pick<ContenderRowProps, 'each'>) {
  if (usage === undefined || cost !== undefined) return null
  if (kind === 'plan') return <span class="dim">, plan</span>
  return (
    <span class="dim" title="The setting prices has prices of models.">
      , cost not known
    </span>
  )
}

function ContenderRow({ each, hasWork, isCutOff, isWinner, onKeep }: ContenderRowProps) {
  const {
    name,
    state,
    duration_ms: duration,
    token_usage: usage,
    cost_usd: cost,
    cost_kind: kind,
    worktree,
    error,
  } = each
  return (
    <tr class={isWinner ? 'contender-winner' : ''}>
      <td>
        <strong>
          {toLine(name)}
          {each.is_demo === true && ' (demo)'}
        </strong>
        <AgentFacts each={each} />
      </td>
      <td data-column="State">
        <StateChip word={toStateWord(state)} />
        <Reason error={error} />
      </td>
      {hasWork && (
        <td data-column="Checks">
          {worktree === undefined ? '–' : <Checks checks={worktree.checks} isCutOff={isCutOff} />}
        </td>
      )}
      {hasWork && (
        <td data-column="Changes">
          <Sizes worktree={worktree} />
        </td>
      )}
      <td data-column="Time">{duration === undefined ? '–' : formatDuration(duration)}</td>
      <td data-column="Tokens">
        <Tokens usage={usage} backend={each.backend} cost={cost} kind={kind} />
        <NoCost each={each} />
      </td>
      {hasWork && (
        <td data-column="Work">
          {each.work === 'open' ? (
            <ConfirmButton
              says={`Keep ${toLine(name)}`}
              asks="The work of the others is dropped."
              onConfirm={() => void onKeep(name)}
            />
          ) : (
            <span class={each.work === 'kept' ? 'verdict-passed' : 'dim'}>
              {each.work === 'none' ? '–' : each.work}
            </span>
          )}
        </td>
      )}
    </tr>
  )
}

/** The version and the model of an agent that has answered. */
function AgentFacts({ each }: Pick<ContenderRowProps, 'each'>) {
  const { is_demo: isDemo, agent_version: version, model, state } = each
  if (isDemo === true) return null
  const said = model ?? (state === 'completed' ? 'model unknown' : undefined)
  const facts = [version, said].filter((fact) => fact !== undefined)
  return facts.length === 0 ? null : <div class="dim">{toLine(facts.join(', '))}</div>
}

/** Without a worktree, nothing was measured. */
function Sizes({ worktree }: { worktree: Contender['worktree'] }) {
  if (worktree === undefined) return '–'
  const { files, insertions, deletions } = worktree
  if (files === 0) return <span class="dim">none</span>
  return (
    <>
      {files} {files === 1 ? 'file' : 'files'} <span class="added">+{insertions}</span>{' '}
      <span class="removed">−{deletions}</span>
    </>
  )
}

function Reason({ error }: { error: string | undefined }) {
  return error === undefined ? null : <p class="problem">{toLine(error)}</p>
}

type ChecksProps = { checks: NonNullable<Contender['worktree']>['checks']; isCutOff: boolean }

function Checks({ checks, isCutOff }: ChecksProps) {
  if (checks.length === 0) return <span class="dim">{isCutOff ? 'did not run' : 'none'}</span>
  return (
    <>
      {checks.map(({ command, passed, unfinished }) =>
        unfinished === undefined ? (
          <span key={command} class={passed ? 'check-result verdict-passed' : 'check-result verdict-failed'}>
            <Icon name={passed ? 'check' : 'cross'} />
            <span class="unseen">{passed ? 'passed' : 'failed'}</span> <code>{toLine(command)}</code>
          </span>
        ) : (
          <span key={command} class="check-result dim">
            {unfinished === 'canceled' ? 'canceled' : 'not run'} <code>{toLine(command)}</code>
          </span>
        ),
      )}
    </>
  )
}

/** What one agent of a comparison has changed. */
function ComparedFiles({ id, name }: { id: string; name: string }) {
  const diff = useSignal<ComparedDiff | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const isSplit = useWideEnough('(min-width: 1100px)')
  useEffect(() => {
    call<ComparedDiff>(`compare/${id}/diff?name=${encodeURIComponent(name)}`).then(
      (found) => (diff.value = found),
      (error: Error) => (problem.value = error.message),
    )
  }, [id, name])
  if (problem.value !== undefined) return <p class="problem">{toLine(problem.value)}</p>
  if (diff.value === undefined) return <p class="dim">Loading…</p>
  const parts = splitPatch(diff.value.patch)
  // The last part of a patch that was cut is not whole.
  const whole = diff.value.is_cut ? parts.slice(0, -1) : parts
  return (
    <div class="compared-files">
      {diff.value.files.map((file, at) => (
        <section key={file.path} class="file" data-row data-file tabIndex={-1} aria-label={toLine(file.path)}>
          <FileHead file={file} />
          {file.insertions === null ? (
            <p class="file-note dim">A binary file.</p>
          ) : (
            <FileLines file={file} patch={whole[at]} isSplit={isSplit} />
          )}
        </section>
      ))}
    </div>
  )
}

/** The part of each file, in the order of the patch. A line of a file never begins with a letter. */
function splitPatch(patch: string): string[] {
  return patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '))
}
