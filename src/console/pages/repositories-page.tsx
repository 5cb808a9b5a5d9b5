/** The repositories in which runs are driven, and how each is prepared. Only for those who manage the server. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { RepositoryList } from '../../service/administration.shape.ts'
import { columnOf } from '../board/board-columns.ts'
import { attempt } from '../live/actions.ts'
import { call } from '../live/api.ts'
import { runs } from '../live/known-runs.ts'
import { toHash } from '../live/router.ts'
import { Icon } from '../parts/icon.tsx'
import { Age } from '../parts/state-chip.tsx'
import { nameOfRepository } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'

type Repository = RepositoryList['repositories'][number]

export function RepositoriesPage() {
  const list = useSignal<readonly Repository[] | undefined>(undefined)
  const version = runs.value.length
  useEffect(
    () => void attempt(async () => (list.value = (await call<RepositoryList>('repositories')).repositories)),
    [version],
  )
  return (
    <div class="page">
      <h1>Repositories</h1>
      {list.value === undefined && <p class="dim">Loading…</p>}
      {list.value?.length === 0 && (
        <p class="dim">
          No repository is open to clients. <code>drover config set drive.repositories PATH</code> names one.
        </p>
      )}
      <ul class="plain cards">
        {list.value?.map((repository) => (
          <RepositoryCard key={repository.path} repository={repository} />
        ))}
      </ul>
    </div>
  )
}

function RepositoryCard({ repository }: { repository: Repository }) {
  const { path, branch, problem, setup, checks, runs: count, last_run_at: last } = repository
  const open = runs.value.filter((run) => run.repository === path && isOpen(columnOf(run))).length
  return (
    <li class="panel">
      <header class="facts">
        <strong>{toLine(nameOfRepository(path))}</strong>
        {branch !== undefined && (
          <span class="dim">
            <Icon name="branch" /> {toLine(branch)}
          </span>
        )}
        <span class="tag">{repository.is_open ? 'open to clients' : 'only for you'}</span>
      </header>
      <p class="path dim">{toLine(path)}</p>
      {problem !== undefined && <p class="problem">{toLine(problem)}</p>}
      <dl class="settings">
        <Commands name="Setup" commands={setup} empty="none" />
        <Commands name="Checks" commands={checks} empty="none: only the agent says that the work is right" />
        <div>
          <dt class="dim">Decided by</dt>
          <dd>
            {DECIDED[repository.prepared_by ?? 'settings']}
            <UnusedFile repository={repository} />
          </dd>
        </div>
        <div>
          <dt class="dim">Runs</dt>
          <dd>
            {count} kept, <a href={toHash('board', '', { repository: path })}>{open} open</a>
            {last !== undefined && <>, the last </>}
            {last !== undefined && <Age time={last} />}
          </dd>
        </div>
      </dl>
    </li>
  )
}

const DECIDED = {
  user: 'you, with drover init',
  file: '.drover.yml of the repository, which you trust',
  settings: 'the settings for all repositories',
} as const

/** As `drover drive` says it. */
export function UnusedFile({ repository }: { repository: Repository | undefined }) {
  if (!repository?.is_outdated && !repository?.is_untrusted) return null
  return (
    <p class="warning">
      .drover.yml is not used, because{' '}
      {repository.is_outdated ? 'it has changed since you trusted it' : 'you have not trusted it'}. To read and trust
      it, run <code>drover trust</code> in {toLine(repository.path)}.
    </p>
  )
}

const isOpen = (column: string | undefined) => column === 'queued' || column === 'working' || column === 'needs you'

function Commands({ name, commands, empty }: { name: string; commands: readonly string[]; empty: string }) {
  return (
    <div>
      <dt class="dim">{name}</dt>
      <dd>
        {commands.length === 0
          ? empty
          : commands.map((command) => (
              <code key={command} class="setting-value">
                {toLine(command)}
              </code>
            ))}
      </dd>
    </div>
  )
}
