import { backends, isStateKnown, runSettings } from '../live/server-state.ts'

/** What can be started: a prompt, or a change that agents do. */
export function NewTabs({ current }: { current: 'prompt' | 'change' }) {
  return (
    <nav class="tabs" aria-label="What to start">
      <a href="#/new" aria-current={current === 'prompt' ? 'page' : undefined}>
        Prompt
      </a>
      <a href="#/new/change" aria-current={current === 'change' ? 'page' : undefined}>
        Change in a repository
      </a>
    </nav>
  )
}

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
