/** Starts a prompt, a change in a repository, or a comparison, from the first page. */
import { useSignal } from '@preact/signals'
import { attempt, attemptEach, startPrompt } from '../live/actions.ts'
import { findDraft } from '../live/drafts.ts'
import { startRun } from '../live/known-runs.ts'
import { goTo, toHash } from '../live/router.ts'
import { backends, runSettings } from '../live/server-state.ts'
import { LongText } from '../parts/form-fields.tsx'
import { nameOfRepository } from '../runs/run-facts.ts'
import { toLine } from '../text/visible-text.ts'

const MODES = { prompt: 'Prompt', change: 'Change', compare: 'Compare' } as const
type Mode = keyof typeof MODES

/** Each column of a comparison has its own stream, and browsers allow six connections to a server. */
const MAX_COMPARED = 4

export function ComposeBox() {
  const text = findDraft('compose')
  const mode = useSignal<Mode>('prompt')
  const chosen = useSignal<readonly string[]>([])
  const repository = useSignal('')
  const isSent = useSignal(false)
  const usable = backends.value.filter(({ available }) => available)
  const names = usable.map(({ name }) => name)
  const standard = (usable.find((each) => each.default) ?? usable[0])?.name
  const isMany = mode.value === 'compare'
  const picked = chosen.value.length > 0 ? chosen.value : isMany ? names.slice(0, MAX_COMPARED) : [standard ?? '']
  const agents = isMany ? picked : picked.slice(0, 1)
  const { repositories } = runSettings.value
  const isReady =
    text.value.trim() !== '' && !isSent.value && agents.length > (isMany ? 1 : 0) && standard !== undefined
  const send = async () => {
    if (!isReady) return
    isSent.value = true
    const where =
      mode.value === 'change'
        ? await change(text.value, agents[0] ?? '', repository.value || (repositories[0] ?? ''))
        : await ask(text.value, agents)
    isSent.value = false
    if (where === undefined) return
    text.value = ''
    goTo(where)
  }
  const toggle = (name: string) => {
    const rest = picked.filter((each) => each !== name)
    chosen.value = isMany ? (rest.length < picked.length ? rest : [...rest, name].slice(-MAX_COMPARED)) : [name]
  }
  return (
    <form
      class="compose"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <LongText name="What should be done?" rows={3} value={text} onSend={send} />
      <div class="compose-bar">
        <fieldset class="segments" aria-label="What to start">
          {(Object.keys(MODES) as Mode[]).map((each) => (
            <button key={each} type="button" aria-pressed={mode.value === each} onClick={() => (mode.value = each)}>
              {MODES[each]}
            </button>
          ))}
        </fieldset>
        <fieldset class="segments" aria-label="Agents">
          {usable.map(({ name, demo }) => (
            <button key={name} type="button" aria-pressed={agents.includes(name)} onClick={() => toggle(name)}>
              {name}
              {demo && ' (demo)'}
            </button>
          ))}
        </fieldset>
        {mode.value === 'change' && repositories.length > 0 && (
          <select
            aria-label="Repository"
            value={repository.value || repositories[0]}
            onChange={(event) => (repository.value = event.currentTarget.value)}
          >
            {repositories.map((path) => (
              <option key={path} value={path}>
                {toLine(nameOfRepository(path))}
              </option>
            ))}
          </select>
        )}
        {mode.value === 'change' && repositories.length === 0 && (
          <a href="#/new/change">No repository is named: how to</a>
        )}
        <a class="compose-more" href={mode.value === 'change' ? '#/new/change' : '#/new'}>
          All options
        </a>
        <button type="submit" class="primary" disabled={!isReady}>
          {mode.value === 'change' ? 'Start change' : isMany ? `Compare ${agents.length}` : 'Start'}
        </button>
      </div>
    </form>
  )
}

async function change(goal: string, backend: string, repository: string): Promise<string | undefined> {
  const run = await attempt(() => startRun({ goal, backend, ...(repository !== '' && { repository }) }))
  return run === undefined ? undefined : toHash('runs', run.id)
}

async function ask(prompt: string, agents: readonly string[]): Promise<string | undefined> {
  const accepted = await attemptEach(agents, (backend) => startPrompt({ prompt, backend }))
  const ids = accepted.map(({ execution_id: id }) => id)
  if (ids.length === 0) return undefined
  return ids.length === 1 ? toHash('executions', ids[0]) : toHash('compare', ids.join(','))
}
