/** Starts a prompt on one agent, or the same prompt on several. */
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Execution } from '../../executions/execution.shape.ts'
import type { PromptRequest } from '../../prompts/prompt-request.shape.ts'
import { attempt, startPrompt } from '../live/actions.ts'
import { call, sender } from '../live/api.ts'
import { goTo, route, toHash } from '../live/router.ts'
import { backends, topExecutions } from '../live/server-state.ts'
import { NewTabs } from '../parts/new-tabs.tsx'

/** Each column of a comparison has its own stream, and browsers allow six connections to a server. */
const MAX_COMPARED = 4

const APPROVAL_MODES = ['default', 'auto', 'none', 'always'] as const
const SANDBOX_MODES = ['default', 'read-only', 'workspace', 'full'] as const

export function NewPage() {
  const prompt = useSignal(route.value.query.get('prompt') ?? '')
  const chosen = useSignal<readonly string[]>(route.value.query.getAll('backend'))
  const [model, workdir] = [useSignal(''), useSignal('')]
  const [approval, sandbox] = [useSignal('default'), useSignal('default')]
  const isSent = useSignal(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  useEffect(() => void copyFrom(route.peek().query.get('from'), { prompt, chosen, workdir, model }), [])
  const usable = backends.value.filter(({ available }) => available).map(({ name }) => name)
  const selected = chosen.value.length > 0 ? chosen.value : defaultBackend()
  const submit = async () => {
    if (prompt.value.trim() === '' || isSent.value || selected.length === 0) return
    isSent.value = true
    const options = {
      prompt: prompt.value,
      ...(model.value !== '' && { model: model.value }),
      ...(workdir.value !== '' && { workdir: workdir.value }),
      ...(approval.value !== 'default' && { approval_mode: approval.value }),
      ...(sandbox.value !== 'default' && { sandbox_mode: sandbox.value }),
    } as Omit<PromptRequest, 'backend'>
    const start = (backend: string) => startPrompt({ ...options, backend })
    const accepted = await attempt(() => Promise.all(selected.map(start)))
    isSent.value = false
    if (accepted === undefined) return
    const ids = accepted.map(({ execution_id: id }) => id)
    goTo(ids.length === 1 ? toHash('executions', ids[0]) : toHash('compare', ids.join(',')))
  }
  return (
    <form
      class="page new"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <h1>New prompt</h1>
      <NewTabs current="prompt" />
      <label>
        Prompt
        <textarea
          rows={8}
          ref={field}
          value={prompt.value}
          onInput={(event) => {
            prompt.value = event.currentTarget.value
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void submit()
          }}
        />
      </label>
      <AgentChoice usable={usable} selected={selected} onChange={(names) => (chosen.value = names)} />
      <div class="fields">
        <TextField name="Directory" value={workdir} placeholder={sender.value?.workdir ?? ''} choices={directories()} />
        <TextField name="Model" value={model} placeholder="the agent's default" choices={[]} />
        <ModeField name="Approval" value={approval} modes={APPROVAL_MODES} limit={sender.value?.max_approval_mode} />
        <ModeField name="Sandbox" value={sandbox} modes={SANDBOX_MODES} limit={sender.value?.max_sandbox_mode} />
      </div>
      <div class="actions">
        <button type="submit" class="primary" disabled={isSent.value || prompt.value.trim() === ''}>
          {selected.length > 1 ? `Compare ${selected.length} agents` : 'Start'}
        </button>
        <span class="dim">
          <kbd>Ctrl</kbd> + <kbd>Enter</kbd>
        </span>
      </div>
    </form>
  )
}

function defaultBackend(): readonly string[] {
  const usable = backends.value.filter(({ available }) => available)
  const first = usable.find((each) => each.default) ?? usable[0]
  return first === undefined ? [] : [first.name]
}

/** The allowed directories, and those that were used lately. */
function directories(): string[] {
  const used = topExecutions.value.flatMap(({ workdir }) => (workdir === undefined ? [] : [workdir]))
  return [...new Set([...(sender.value?.workdirs ?? []), ...used])]
}

type Copied = Record<'prompt' | 'workdir' | 'model', { value: string }> & { chosen: { value: readonly string[] } }

/** Fills the form from an execution. */
async function copyFrom(id: string | null, { prompt, chosen, workdir, model }: Copied): Promise<void> {
  if (id === null) return
  const from = await attempt(() => call<Execution>(`executions/${encodeURIComponent(id)}`))
  if (from === undefined) return
  prompt.value = from.prompt ?? ''
  if (from.backend !== undefined) chosen.value = [from.backend]
  workdir.value = from.workdir ?? ''
  model.value = ''
}

type ChoiceProps = {
  usable: readonly string[]
  selected: readonly string[]
  onChange: (names: readonly string[]) => void
}

function AgentChoice({ usable, selected, onChange }: ChoiceProps) {
  const isFull = selected.length >= MAX_COMPARED
  return (
    <fieldset>
      <legend>Agents: one answers, several are compared</legend>
      {usable.length === 0 && <p class="problem">No agent is installed on the server.</p>}
      {usable.map((name) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            checked={selected.includes(name)}
            disabled={isFull && !selected.includes(name)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...selected, name] : selected.filter((each) => each !== name))
            }
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}

type FieldProps = { name: string; value: { value: string }; placeholder: string; choices: readonly string[] }

function TextField({ name, value, placeholder, choices }: FieldProps) {
  const list = `${name.toLowerCase()}-choices`
  return (
    <label>
      {name}
      <input
        list={list}
        value={value.value}
        placeholder={placeholder}
        onInput={(event) => {
          value.value = event.currentTarget.value
        }}
      />
      <datalist id={list}>
        {choices.map((choice) => (
          <option key={choice} value={choice} />
        ))}
      </datalist>
    </label>
  )
}

type ModeProps = { name: string; value: { value: string }; modes: readonly string[]; limit: string | undefined }

function ModeField({ name, value, modes, limit }: ModeProps) {
  return (
    <label>
      {name}
      <select
        value={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.value
        }}
      >
        {modes.map((mode) => (
          <option key={mode} value={mode}>
            {mode === 'default' ? 'as configured' : mode}
          </option>
        ))}
      </select>
      {limit !== undefined && <span class="dim">at most {limit}</span>}
    </label>
  )
}
