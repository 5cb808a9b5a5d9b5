/** Lets agents do a change: from a goal or an issue to a branch. */
import { type Signal, useSignal } from '@preact/signals'
import type { StartBody } from '../../service/run-requests.shape.ts'
import { attempt } from '../live/actions.ts'
import { chosenAgents, findDraft } from '../live/drafts.ts'
import { startRun } from '../live/known-runs.ts'
import { goTo, toHash } from '../live/router.ts'
import { backends, runSettings } from '../live/server-state.ts'
import { LongText, Select, SendForm, TextField } from '../parts/form-fields.tsx'
import { NewTabs, NoRepository } from '../parts/new-head.tsx'
import { toLine } from '../text/visible-text.ts'
import { ChecksOfChange } from './checks-of-change.tsx'

type Form = Record<
  'goal' | 'issue' | 'repository' | 'backend' | 'review' | 'actions' | 'tokens' | 'deliver' | 'begin',
  Signal<string>
> & { checks: Signal<readonly string[] | undefined> }

export function NewChangePage() {
  const form: Form = {
    goal: findDraft('compose'),
    issue: useSignal(''),
    repository: useSignal(''),
    backend: useSignal(chosenAgents.value[0] ?? ''),
    review: useSignal(''),
    actions: useSignal(''),
    tokens: useSignal(''),
    deliver: useSignal(''),
    begin: useSignal(''),
    checks: useSignal<readonly string[] | undefined>(undefined),
  }
  const isSent = useSignal(false)
  const { repositories } = runSettings.value
  const isReady = (form.goal.value.trim() !== '') !== (form.issue.value !== '') && repositories.length > 0
  const submit = async () => {
    if (!isReady || isSent.value) return
    isSent.value = true
    const run = await attempt(() => startRun(toBody(form, repositories)))
    isSent.value = false
    if (run === undefined) return
    form.goal.value = ''
    chosenAgents.value = []
    goTo(toHash('runs', run.id))
  }
  return (
    <SendForm onSend={submit}>
      <h1>New change</h1>
      <NewTabs current="change" />
      <NoRepository />
      <LongText name="Goal" rows={4} value={form.goal} onSend={submit} />
      <Fields form={form} repositories={repositories} />
      <ChecksOfChange checks={form.checks} path={form.repository.value || repositories[0]} />
      <div class="actions">
        <button type="submit" class="primary" disabled={!isReady || isSent.value}>
          Start
        </button>
        <span class="dim">A goal or the number of an issue. Agents work in a new git worktree.</span>
      </div>
    </SendForm>
  )
}

function toBody(form: Form, repositories: readonly string[]): StartBody {
  const { goal, issue, repository, backend, review, actions, tokens, deliver, begin, checks } = form
  const chosen = repository.value || repositories[0]
  return {
    ...(issue.value === '' ? { goal: goal.value } : { issue_number: Number(issue.value), as_goal: true }),
    ...(chosen !== undefined && { repository: chosen }),
    ...(backend.value !== '' && { backend: backend.value }),
    ...(review.value === 'none' ? { review: false } : review.value !== '' && { review_backend: review.value }),
    ...(actions.value !== '' && { actions: Number(actions.value) }),
    ...(tokens.value !== '' && { max_tokens: Number(tokens.value) }),
    ...(deliver.value !== '' && { deliver: deliver.value as 'none' | 'branch' | 'pr' }),
    ...(begin.value === 'queue' && { queue: true }),
    ...(checks.value !== undefined && { checks: [...checks.value] }),
  }
}

function Fields({ form, repositories }: { form: Form; repositories: readonly string[] }) {
  const agents = backends.value.filter(({ available }) => available).map(({ name }) => name)
  return (
    <div class="fields">
      <TextField isNumber name="Issue number" value={form.issue} placeholder="instead of a goal" />
      <Select name="Repository" value={form.repository} choices={repositories.map((path) => [path, toLine(path)])} />
      <Select name="Agent" value={form.backend} choices={[['', 'as configured'], ...agents.map(same)]} />
      <Select
        name="Review by"
        value={form.review}
        choices={[['', 'another agent, if any'], ...agents.map(same), ['none', 'no review']]}
      />
      <TextField isNumber name="Actions at most" value={form.actions} placeholder="as configured" />
      <TextField isNumber name="Tokens at most" value={form.tokens} placeholder="no limit" />
      <Select
        name="Deliver"
        value={form.deliver}
        choices={[
          ['', 'as configured'],
          ['branch', 'a branch'],
          ['pr', 'a pull request'],
          ['none', 'nothing'],
        ]}
      />
      <Select
        name="Begin"
        value={form.begin}
        choices={[
          ['', 'at once'],
          ['queue', 'when it is its turn'],
        ]}
      />
    </div>
  )
}

const same = (name: string): [string, string] => [name, name]
