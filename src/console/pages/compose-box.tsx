/** Starts a prompt, a change in a repository, or a comparison, from the first page. */

import { type Signal, useSignal } from '@preact/signals'
import type { Attachment } from '../../prompts/prompt-request.shape.ts'
import type { StartBody } from '../../service/run-requests.shape.ts'
import { attempt, startComparison, startPrompt, submits } from '../live/actions.ts'
import { sender } from '../live/api.ts'
import { chosenAgents, findDraft, MAX_COMPARED } from '../live/drafts.ts'
import { startRun } from '../live/known-runs.ts'
import { goTo, toHash } from '../live/router.ts'
import { backends, runSettings, topExecutions } from '../live/server-state.ts'
import { AttachFiles, pasteInto, sentFiles } from '../parts/attach-files.tsx'
import { Choice, LongText } from '../parts/form-fields.tsx'
import { NoRepository } from '../parts/new-head.tsx'
import { nameOfRepository } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'
import { ChecksOf } from './checks-of-change.tsx'

const MODES = { prompt: 'Prompt', change: 'Change', compare: 'Compare' } as const
export type ComposeMode = keyof typeof MODES

export function ComposeBox() {
  const text = findDraft('compose')
  const chosenMode = findDraft('compose mode')
  const mode = (Object.keys(MODES) as ComposeMode[]).find((each) => each === chosenMode.value) ?? 'prompt'
  const [repository, model] = [useSignal(''), useSignal('')]
  const isSent = useSignal(false)
  const files = useSignal<readonly Attachment[]>([])
  const usable = backends.value.filter(({ available }) => available)
  const names = usable.map(({ name }) => name)
  const standard = (usable.find((each) => each.default) ?? usable[0])?.name
  const isMany = mode === 'compare'
  const picked =
    chosenAgents.value.length > 0 ? chosenAgents.value : isMany ? names.slice(0, MAX_COMPARED) : [standard ?? '']
  const agents = isMany ? picked : picked.slice(0, 1)
  const { repositories } = runSettings.value
  const place = chosenOf(repository, repositories)
  const isReady = isComplete({ mode, text: text.value, place, agents }) && !isSent.value && standard !== undefined
  const send = async () => {
    if (!isReady) return
    isSent.value = true
    const named = isMany || model.value.trim() === '' ? {} : { model: model.value.trim() }
    const where =
      mode === 'change'
        ? await change({ goal: text.value, backend: agents[0] ?? '', ...named }, place)
        : await ask({ prompt: text.value, ...named, ...sentFiles(files) }, agents)
    isSent.value = false
    if (where === undefined) return
    text.value = ''
    chosenAgents.value = []
    files.value = []
    goTo(where)
  }
  const toggle = (name: string) => {
    const rest = picked.filter((each) => each !== name)
    chosenAgents.value = isMany ? (rest.length < picked.length ? rest : [...rest, name].slice(-MAX_COMPARED)) : [name]
  }
  return (
    <form class="compose" onPaste={pasteInto(files)} onSubmit={submits(send)}>
      <LongText name="What should be done?" rows={3} value={text} onSend={send} />
      <div class="compose-bar">
        <fieldset class="segments joined" aria-label="What to start">
          {(Object.keys(MODES) as ComposeMode[]).map((each) => (
            <button key={each} type="button" aria-pressed={mode === each} onClick={() => (chosenMode.value = each)}>
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
        <OfOneAgent mode={mode} agent={agents[0]} model={model} files={files} />
        {mode === 'change' && <Repository value={repository} />}
        <a class="compose-more" href={mode === 'prompt' ? '#/new' : `#/new/${mode}`}>
          All options
        </a>
        <button type="submit" class="primary" disabled={!isReady}>
          {mode === 'change' ? 'Start change' : isMany ? `Compare ${agents.length}` : 'Start'}
        </button>
      </div>
      {mode === 'change' ? (
        <>
          <NoRepository />
          <ChecksOf path={place} />
        </>
      ) : (
        sender.value != null && <p class="dim">Directory: {toLine(sender.value.workdir)}</p>
      )}
    </form>
  )
}

type Filled = { mode: ComposeMode; text: string; place: string | undefined; agents: readonly string[] }

function isComplete({ mode, text, place, agents }: Filled): boolean {
  if (text.trim() === '' || (mode === 'change' && place === undefined)) return false
  return agents.length > (mode === 'compare' ? 1 : 0)
}

type OneAgent = {
  mode: ComposeMode
  agent: string | undefined
  model: Signal<string>
  files: Signal<readonly Attachment[]>
}

function OfOneAgent({ mode, agent, model, files }: OneAgent) {
  if (mode === 'compare') return null
  return (
    <>
      {mode === 'prompt' && <AttachFiles files={files} />}
      <Model agent={agent} value={model} />
    </>
  )
}

function Model({ agent, value }: { agent: string | undefined; value: Signal<string> }) {
  return (
    <>
      <input
        class="compose-model"
        aria-label="Model"
        placeholder="default model"
        list="compose-models"
        value={value.value}
        onInput={(event) => (value.value = event.currentTarget.value)}
      />
      <datalist id="compose-models">
        {modelsOf(agent).map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  )
}

const chosenOf = (value: Signal<string>, all: readonly string[]): string | undefined => value.value || all[0]

function Repository({ value }: { value: Signal<string> }) {
  const { repositories } = runSettings.value
  if (repositories.length === 0) return null
  return (
    <Choice
      name="Repository"
      value={chosenOf(value, repositories) ?? ''}
      choices={repositories.map((path) => [path, toLine(nameOfRepository(path))])}
      onChoose={(path) => (value.value = path)}
    />
  )
}

/** Those that it was started with lately. */
function modelsOf(agent: string | undefined): string[] {
  const used = topExecutions.value.flatMap(({ backend, model }) => (backend === agent && model ? [model] : []))
  return [...new Set(used)]
}

async function change(body: StartBody, repository: string | undefined): Promise<string | undefined> {
  const run = await attempt(() => startRun({ ...body, ...(repository !== undefined && { repository }) }))
  return run === undefined ? undefined : toHash('runs', run.id)
}

type Asked = { prompt: string; model?: string; attachments?: Attachment[] }

/** A comparison has only a text. */
async function ask({ attachments, ...asked }: Asked, agents: readonly string[]): Promise<string | undefined> {
  const [backend = ''] = agents
  const accepted = await attempt(() =>
    agents.length > 1
      ? startComparison({ ...asked, backends: [...agents], sessions: true })
      : startPrompt({ ...asked, backend, ...(attachments !== undefined && { attachments }) }),
  )
  if (accepted === undefined) return undefined
  return toHash(agents.length > 1 ? 'compare' : 'executions', accepted.execution_id)
}
