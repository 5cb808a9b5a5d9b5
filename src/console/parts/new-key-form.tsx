import { useSignal } from '@preact/signals'
import { submits } from '../live/actions.ts'
import { backends } from '../live/server-state.ts'
import { toLine } from '../text/visible-text.ts'
import { CheckList, Select, TextField } from './form-fields.tsx'

const DAY_MS = 86_400_000

type NewKeyFormProps = { onCreate: (body: object) => Promise<void>; onCancel: () => void }

export function NewKeyForm({ onCreate, onCancel }: NewKeyFormProps) {
  const [name, role] = [useSignal(''), useSignal('client')]
  const [approval, sandbox] = [useSignal(''), useSignal('')]
  const [budget, days] = [useSignal(''), useSignal('90')]
  const directories = useSignal('')
  const agents = useSignal<readonly string[]>([])
  const [mayMerge, isContained] = [useSignal(false), useSignal(false)]
  const create = () => {
    const budgets = budget.value.split(/[\s,]+/).filter(Boolean)
    const paths = directories.value.split(',').flatMap((path) => path.trim() || [])
    void onCreate({
      name: name.value.trim(),
      role: role.value,
      ...(approval.value !== '' && { max_approval_mode: approval.value }),
      ...(sandbox.value !== '' && { max_sandbox_mode: sandbox.value }),
      ...(budgets.length > 0 && { budgets }),
      ...(paths.length > 0 && { directories: paths }),
      ...(agents.value.length > 0 && { backends: agents.value }),
      ...(days.value !== '' && { expires_at: expiryIn(Number(days.value)) }),
      ...(mayMerge.value && { may_merge: true }),
      ...(isContained.value && { requires_sandbox: true }),
    })
  }
  return (
    <form class="panel" aria-label="New key" onSubmit={submits(create)}>
      <div class="fields">
        <TextField name="Name" value={name} placeholder="ci, ada, …" />
        <Select
          name="Role"
          value={role}
          choices={[
            ['client', 'client: sees its own'],
            ['operator', 'operator: sees those of every key'],
            ['admin', 'admin: also manages keys'],
          ]}
        />
        <Select
          name="Without approval, its agents may at most"
          value={approval}
          choices={[
            ['', 'as the server allows'],
            ['always', 'do nothing'],
            ['auto', 'edit files'],
            ['none', 'do everything'],
          ]}
        />
        <Select
          name="Sandbox mode at most"
          value={sandbox}
          choices={[
            ['', 'as the server allows'],
            ['read-only', 'read-only'],
            ['workspace', 'workspace'],
            ['full', 'full'],
          ]}
        />
        <TextField name="Only in these directories" value={directories} placeholder="/srv/project-a, /srv/project-b" />
        <TextField name="Budgets" value={budget} placeholder="20usd/day, 5Mtokens/week" />
        <Select
          name="Expires"
          value={days}
          choices={[
            ['30', 'in 30 days'],
            ['90', 'in 90 days'],
            ['365', 'in a year'],
            ['', 'never'],
          ]}
        />
      </div>
      <CheckList
        legend="Only these agents (none chosen: all)"
        names={backends.value.map((backend) => backend.name)}
        selected={agents.value}
        viewOf={toLine}
        onChange={(selected) => (agents.value = selected)}
      />
      <Check value={mayMerge} says="May merge the work of its runs" />
      <Check value={isContained} says="Its agents run only inside of a sandbox" />
      <div class="actions">
        <button type="submit" class="primary" disabled={name.value.trim() === ''}>
          Create
        </button>
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </div>
    </form>
  )
}

function Check({ value, says }: { value: { value: boolean }; says: string }) {
  return (
    <label class="check">
      <input type="checkbox" checked={value.value} onChange={(event) => (value.value = event.currentTarget.checked)} />
      {says}
    </label>
  )
}

function expiryIn(days: number): string {
  return `${new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 19)}Z`
}
