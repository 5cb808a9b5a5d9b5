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
  const offered = repository?.checks ?? runSettings.value.checks
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
      <Unchecked repository={repository} />
    </>
  )
}

/** For a form that does not offer the checks. */
export function WarnUnchecked({ path }: { path: string | undefined }) {
  return <Unchecked repository={useRepository(path)} />
}

function Unchecked({ repository }: { repository: Repository | undefined }) {
  return (
    <>
      {repository?.checks.length === 0 && (
        <p class="dim">
          No command checks the work. <code>drover init</code> in {toLine(repository.path)} chooses some.
        </p>
      )}
      <UnusedFile repository={repository} />
    </>
  )
}
