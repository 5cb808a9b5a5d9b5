/** Which commands check the work of a new change, or that none does. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { RepositoryList } from '../../service/administration.shape.ts'
import { attempt } from '../live/actions.ts'
import { call, sender } from '../live/api.ts'
import { runSettings } from '../live/server-state.ts'
import { CheckList } from '../parts/form-fields.tsx'
import { toLine } from '../text/visible-text.ts'
import { UnusedFile } from './repositories-page.tsx'

type Repository = RepositoryList['repositories'][number]

/** Undefined for those who do not manage the server: they may not read its settings. */
function useRepository(path: string | undefined): Repository | undefined {
  const known = useSignal<readonly Repository[]>([])
  const isAdmin = sender.value?.role === 'admin'
  useEffect(() => {
    if (isAdmin) void attempt(async () => (known.value = (await call<RepositoryList>('repositories')).repositories))
  }, [isAdmin])
  return known.value.find((each) => each.path === path)
}

type Chosen = { checks: Signal<readonly string[] | undefined>; path: string | undefined }

/** All that the settings name for the repository are chosen at first. */
export function ChecksOfChange({ checks, path }: Chosen) {
  useEffect(() => {
    checks.value = undefined
  }, [path])
  const repository = useRepository(path)
  const offered = checksOf(repository)
  return (
    <>
      {offered.length > 0 && (
        <CheckList
          legend="Commands that must pass"
          names={offered}
          selected={checks.value ?? offered}
          viewOf={(command) => <code>{toLine(command)}</code>}
          onChange={(selected) => (checks.value = selected)}
        />
      )}
      <Unchecked repository={repository} path={path} />
    </>
  )
}

/** For a form that does not offer the checks. */
export function ChecksOf({ path }: { path: string | undefined }) {
  const repository = useRepository(path)
  const commands = checksOf(repository)
  if (path === undefined) return null
  return (
    <>
      {commands.length > 0 && (
        <p class="dim">
          Commands that must pass:{' '}
          {commands.map((command) => (
            <code key={command} class="setting-value">
              {toLine(command)}
            </code>
          ))}
        </p>
      )}
      <Unchecked repository={repository} path={path} />
    </>
  )
}

const checksOf = (repository: Repository | undefined) => repository?.checks ?? runSettings.value.checks

/** Who may not read the settings of the repository learns only where checks come from. */
function Unchecked({ repository, path }: { repository: Repository | undefined; path: string | undefined }) {
  const isUnknown = repository === undefined
  return (
    <>
      {path !== undefined && checksOf(repository).length === 0 && (
        <p class="dim">
          {isUnknown ? 'Checks come from the settings of the repository.' : 'No command checks the work.'}{' '}
          <code>drover init</code> in {toLine(path)} chooses some.
        </p>
      )}
      <UnusedFile repository={repository} />
    </>
  )
}
