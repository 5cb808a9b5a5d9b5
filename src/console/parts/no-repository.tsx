import { backends, isStateKnown, runSettings } from '../live/server-state.ts'

/** Before the settings are known, nothing is missing. */
export const lacksRepository = (): boolean => isStateKnown.value && runSettings.value.repositories.length === 0

/** Why agents can work in no repository, and what to do. Nothing if they can. */
export function NoRepository() {
  if (!lacksRepository()) return null
  return (
    <p class="warning">
      This server may not change any repository. Run{' '}
      <code>drover config set drive.repositories /path/to/repository</code>
      {backends.value.some(({ machines }) => machines !== undefined)
        ? ' on a worker, and restart drover work there.'
        : ' on its machine, and restart it.'}
    </p>
  )
}
