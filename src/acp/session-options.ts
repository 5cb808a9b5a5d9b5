/** What an editor can choose for a session: its backend, and what the agent may do. Pure. */
import type { ApprovalMode, Backend, SandboxMode } from '../agents/adapter/agent.ts'
import { acpOptionUnknown } from './faults.ts'

type Mode = {
  id: string
  name: string
  description: string
  request: { approval_mode?: ApprovalMode; sandbox_mode?: SandboxMode }
}

const MODES: readonly Mode[] = [
  {
    id: 'ask',
    name: 'Ask',
    description: 'Asks before it changes files or runs commands',
    request: { approval_mode: 'always' },
  },
  {
    id: 'edit',
    name: 'Edit',
    description: 'Changes files in the project without asking',
    request: { approval_mode: 'auto' },
  },
  {
    id: 'sandboxed',
    name: 'Sandboxed',
    description: 'Does everything without asking, in a sandbox',
    request: { approval_mode: 'sandboxed' },
  },
  {
    id: 'full',
    name: 'Full access',
    description: 'Does everything without asking',
    request: { approval_mode: 'none' },
  },
  { id: 'read-only', name: 'Read only', description: 'Changes nothing', request: { sandbox_mode: 'read-only' } },
  {
    id: 'default',
    name: 'As configured',
    description: 'What the settings of drover and of the agent say',
    request: {},
  },
]

/** The names of the options. */
const BACKEND_OPTION = 'backend'
const MODE_OPTION = 'mode'

export type ChosenMode = { backend: Backend; mode: string }

/** A user who has chosen modes in the settings gets them; others are asked. */
export function firstMode(settings: { approval_mode: string; sandbox_mode: string }): string {
  const isChosen = settings.approval_mode !== 'default' || settings.sandbox_mode !== 'default'
  return isChosen ? 'default' : 'ask'
}

export function modeRequest(id: string): Mode['request'] {
  return MODES.find((mode) => mode.id === id)?.request ?? {}
}

/** The choice after a change. Throws a Fault for an option or a value that does not exist. */
export function choose(
  choice: ChosenMode,
  { option, value, backends }: { option: string; value: string; backends: readonly Backend[] },
): ChosenMode {
  if (option !== BACKEND_OPTION && option !== MODE_OPTION) {
    throw acpOptionUnknown({ option: 'the option', value: option, known: [BACKEND_OPTION, MODE_OPTION] })
  }
  const known = option === MODE_OPTION ? MODES.map(({ id }) => id) : backends
  if (!known.includes(value)) throw acpOptionUnknown({ option: `the ${option}`, value, known })
  return option === MODE_OPTION ? { ...choice, mode: value } : { ...choice, backend: value }
}

/** For editors that know modes but no options. */
export function describeModes({ mode }: ChosenMode): object {
  const availableModes = MODES.map(({ id, name, description }) => ({ id, name, description }))
  return { currentModeId: mode, availableModes }
}

export function describeOptions({ backend, mode }: ChosenMode, backends: readonly Backend[]): object[] {
  return [
    {
      id: BACKEND_OPTION,
      name: 'Agent',
      description: 'The coding agent that answers',
      type: 'select',
      currentValue: backend,
      options: backends.map((value) => ({ value, name: value })),
    },
    {
      id: MODE_OPTION,
      name: 'Permissions',
      category: 'mode',
      type: 'select',
      currentValue: mode,
      options: MODES.map(({ id, name, description }) => ({ value: id, name, description })),
    },
  ]
}
