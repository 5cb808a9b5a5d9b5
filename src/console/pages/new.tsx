/** Starts a prompt on one agent, or the same prompt on several. */
import { type Signal, signal, useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Execution } from '../../executions/store/execution.shape.ts'
import type { PromptBody } from '../../prompts/prompt-request.shape.ts'
import { attempt, startComparison, startPrompt } from '../live/actions.ts'
import { call, sender } from '../live/api.ts'
import { chosenAgents, findDraft, MAX_COMPARED } from '../live/drafts.ts'
import { goTo, type Route, route, toHash } from '../live/router.ts'
import { backends, runSettings, topExecutions } from '../live/server-state.ts'
import { CheckList, LongText, Select, SendForm, TextField } from '../parts/form-fields.tsx'
import { lacksRepository, NewTabs, NoRepository } from '../parts/new-head.tsx'
import { whyNoAgent } from '../text/agent-health.ts'

const APPROVAL_MODES = [
  ['', 'as configured'],
  ['always', 'always: asks about everything'],
  ['auto', 'auto: may edit files'],
  ['sandboxed', 'sandboxed: may do everything, in a sandbox'],
  ['none', 'none: may do everything'],
] as const
const SANDBOX_MODES = [
  ['', 'as configured'],
  ['read-only', 'read-only: changes nothing'],
  ['workspace', 'workspace: its directory'],
  ['full', 'full: the whole machine'],
] as const

export function NewPage() {
  const isComparison = route.value.id === 'compare'
  const prompt = useMemo(() => readPrompt(route.peek()), [])
  const chosen = useMemo(() => readAgents(route.peek()), [])
  const [model, workdir] = [useSignal(''), useSignal('')]
  const [approval, sandbox] = [useSignal(''), useSignal('')]
  const isolated = useSignal(false)
  const isSent = useSignal(false)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => field.current?.focus(), [])
  useEffect(() => {
    // One that was chosen for a prompt is no comparison.
    if (isComparison && chosen.value.length === 1) chosen.value = []
  }, [isComparison])
  useEffect(() => void copyFrom(route.peek().query.get('from'), { prompt, chosen, workdir, model }), [])
  const usable = backends.value.filter(({ available }) => available).map(({ name }) => name)
  const demos = backends.value.filter(({ demo }) => demo).map(({ name }) => name)
  // Before the agents are known, nothing is missing.
  const problem = backends.value.length === 0 ? undefined : whyNoAgent(backends.value)
  const standard = isComparison ? usable.slice(0, MAX_COMPARED) : defaultBackend()
  const selected = chosen.value.length > 0 ? chosen.value : standard
  const isMany = selected.length > 1
  const isReady = prompt.value.trim() !== '' && !isSent.value && selected.length > 0
  const submit = async () => {
    if (!isReady) return
    isSent.value = true
    const options = {
      prompt: prompt.value,
      ...(model.value !== '' && { model: model.value }),
      ...(workdir.value !== '' && { workdir: workdir.value }),
      ...(approval.value !== '' && { approval_mode: approval.value }),
      ...(sandbox.value !== '' && { sandbox_mode: sandbox.value }),
    } as Omit<PromptBody, 'backend'>
    const work = isolated.value ? { worktrees: true } : { sessions: true }
    const [backend = ''] = selected
    const accepted = await attempt(() =>
      isMany ? startComparison({ ...options, ...work, backends: [...selected] }) : startPrompt({ ...options, backend }),
    )
    isSent.value = false
    if (accepted === undefined) return
    prompt.value = ''
    chosen.value = []
    goTo(toHash(isMany ? 'compare' : 'executions', accepted.execution_id))
  }
  return (
    <SendForm onSend={submit}>
      <h1>{isMany ? 'New comparison' : 'New prompt'}</h1>
      <NewTabs current="prompt" />
      <LongText name="Prompt" rows={8} value={prompt} field={field} onSend={submit} />
      {problem !== undefined && <p class="problem">{problem}</p>}
      {usable.length > 0 && (
        <CheckList
          legend="Agents: one answers, several are compared"
          names={usable}
          selected={selected}
          isFull={selected.length >= MAX_COMPARED}
          viewOf={(name) => (demos.includes(name) ? `${name} (demo)` : name)}
          onChange={(names) => (chosen.value = names)}
        />
      )}
      {isMany && <InWorktrees value={isolated} />}
      <div class="fields">
        <TextField
          name="Directory"
          value={workdir}
          placeholder={defaultDirectory(isMany && isolated.value)}
          choices={directories()}
        />
        <TextField name="Model" value={model} placeholder="the agent's default" />
        <Select
          name="Approval"
          value={approval}
          choices={APPROVAL_MODES}
          note={describeLimit(sender.value?.max_approval_mode)}
        />
        <Select
          name="Sandbox"
          value={sandbox}
          choices={SANDBOX_MODES}
          note={describeLimit(sender.value?.max_sandbox_mode)}
        />
      </div>
      <div class="actions">
        <button type="submit" class="primary" disabled={!isReady}>
          {isMany ? `Compare ${selected.length} agents` : 'Start'}
        </button>
        <span class="dim key-hint">
          <kbd>Ctrl</kbd> + <kbd>Enter</kbd>
        </span>
      </div>
    </SendForm>
  )
}

function InWorktrees({ value }: { value: Signal<boolean> }) {
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={value.value}
          disabled={lacksRepository()}
          onChange={(event) => (value.value = event.currentTarget.checked)}
        />
        Each changes files in a git worktree, the checks run there, and you keep the work of one
      </label>
      <NoRepository />
    </>
  )
}

/** What the address gives, or what was typed before. */
function readPrompt({ query }: Route): Signal<string> {
  const given = query.get('prompt')
  return given === null && !query.has('from') ? findDraft('compose') : signal(given ?? '')
}

function readAgents({ query }: Route): Signal<readonly string[]> {
  const given = query.getAll('backend')
  return given.length === 0 && !query.has('from') ? chosenAgents : signal(given)
}

const describeLimit = (limit: string | undefined) => (limit === undefined ? undefined : `at most ${limit}`)

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

/** Where the server works if none is named: worktrees are those of its repository. */
function defaultDirectory(isInWorktrees: boolean): string {
  const { repositories } = runSettings.value
  return (isInWorktrees ? repositories[0] : undefined) ?? sender.value?.workdir ?? ''
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
