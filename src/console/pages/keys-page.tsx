/** The API keys of the server: create, rotate, revoke. Only for those who manage it. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { BudgetList } from '../../prompts/budget-list.shape.ts'
import type { ApiKeyList, CreatedKey, RevokedKey, RotatedKey } from '../../service/administration.shape.ts'
import { attempt, tell } from '../live/actions.ts'
import { call } from '../live/api.ts'
import { limitText } from '../parts/budget-bars.tsx'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { NewKeyForm } from '../parts/new-key-form.tsx'
import { Wide } from '../parts/text-view.tsx'
import { toLine } from '../text/visible-text.ts'

type Budget = BudgetList['budgets'][number]
type Key = ApiKeyList['keys'][number]
type Shown = { name: string; key: string }

export function KeysPage() {
  const list = useSignal<ApiKeyList | undefined>(undefined)
  const shown = useSignal<Shown | undefined>(undefined)
  const isCreating = useSignal(false)
  const budgets = useSignal<readonly Budget[]>([])
  const read = () =>
    attempt(async () => {
      list.value = await call<ApiKeyList>('keys')
      budgets.value = (await call<BudgetList>('budgets')).budgets
    })
  useEffect(() => void read(), [])
  const change = async (work: () => Promise<unknown>) => {
    await attempt(work)
    await read()
  }
  const rotate = (name: string) =>
    change(async () => {
      shown.value = await call<RotatedKey>(`keys/${name}/rotate`, { method: 'POST' })
    })
  const revoke = (name: string) =>
    change(async () => {
      await call<RevokedKey>(`keys/${name}`, { method: 'DELETE' })
      tell(`The key ${name} is revoked. The server refuses it within seconds.`)
    })
  const create = (body: object) =>
    change(async () => {
      shown.value = await call<CreatedKey>('keys', { method: 'POST', body })
      isCreating.value = false
    })
  return (
    <div class="page">
      <header class="page-head">
        <h1>Keys</h1>
        {!isCreating.value && (
          <button type="button" class="primary" onClick={() => (isCreating.value = true)}>
            New key
          </button>
        )}
      </header>
      {shown.value !== undefined && (
        <SecretBox name={shown.value.name} secret={shown.value.key} onClose={() => (shown.value = undefined)} />
      )}
      {isCreating.value && <NewKeyForm onCreate={create} onCancel={() => (isCreating.value = false)} />}
      {list.value === undefined ? (
        <p class="dim">Loading…</p>
      ) : (
        <KeyTable list={list.value} budgets={budgets.value} onRotate={rotate} onRevoke={revoke} />
      )}
    </div>
  )
}

type KeyTableProps = {
  list: ApiKeyList
  /** Those that are enforced. */
  budgets: readonly Budget[]
  onRotate: (name: string) => Promise<void>
  onRevoke: (name: string) => Promise<void>
}

function KeyTable({ list, budgets, onRotate, onRevoke }: KeyTableProps) {
  const { keys, others, file, is_required: isRequired } = list
  return (
    <>
      {!isRequired && (
        <p class="warning">
          This server was started without keys, so requests need none. A key counts after the server is restarted.
        </p>
      )}
      {keys.length === 0 ? (
        <p class="dim">No keys yet. Each client gets its own: its sessions and budgets belong to its key.</p>
      ) : (
        <Wide>
          <table class="keys stacked">
            <thead>
              <tr>
                {['Name', 'Role', 'Limits', 'May merge', 'Budgets', 'Expires'].map((name) => (
                  <th key={name}>{name}</th>
                ))}
                <th>
                  <span class="unseen">Change</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <KeyRow
                  key={key.name}
                  entry={key}
                  budgets={budgets.filter((budget) => budget.key === key.name)}
                  onRotate={onRotate}
                  onRevoke={onRevoke}
                />
              ))}
            </tbody>
          </table>
        </Wide>
      )}
      {others.length > 0 && (
        <p class="dim">Also valid, from variables, files or gopass: {toLine(others.join(', '))}.</p>
      )}
      <p class="dim">
        Digests of the keys are in <span class="path">{toLine(file)}</span>.
      </p>
    </>
  )
}

type KeyRowProps = Omit<KeyTableProps, 'list'> & { entry: Key }

function KeyRow({ entry, budgets, onRotate, onRevoke }: KeyRowProps) {
  const { name, role, expires_at: expires } = entry
  // Those of an expired key, and new ones, are not enforced.
  const limits = budgets.length > 0 ? budgets.map(limitText) : (entry.budgets ?? [])
  const isOver = expires !== undefined && Date.parse(expires) <= Date.now()
  return (
    <tr>
      <td>
        <strong>{name}</strong>
      </td>
      <td data-column="Role">{role}</td>
      <td data-column="Limits">{limitsOf(entry).join(', ') || 'those of the server'}</td>
      <td data-column="May merge">{entry.may_merge === true ? 'yes' : 'no'}</td>
      <td data-column="Budgets">{limits.join(', ') || 'none'}</td>
      <td data-column="Expires" class={isOver ? 'problem' : ''}>
        {expires === undefined ? 'never' : expires.slice(0, 10)}
      </td>
      <td class="key-actions">
        <ConfirmButton says="Rotate" asks="The old secret stops working." onConfirm={() => void onRotate(name)} />
        <ConfirmButton says="Revoke" asks="Its clients are refused." onConfirm={() => void onRevoke(name)} />
      </td>
    </tr>
  )
}

function limitsOf(key: Key): string[] {
  const { max_approval_mode: approval, max_sandbox_mode: sandbox, rate_limit_rps: rps } = key
  return [
    ...(approval === undefined ? [] : [`approval ${approval}`]),
    ...(sandbox === undefined ? [] : [`sandbox ${sandbox}`]),
    ...(key.requires_sandbox === true ? ['only inside of a sandbox'] : []),
    ...(key.directories === undefined ? [] : [`work only in ${key.directories.join(', ') || 'no directory'}`]),
    ...(key.backends === undefined ? [] : [`use only ${key.backends.join(', ')}`]),
    ...(rps === undefined ? [] : [`${rps} requests a second`]),
  ]
}

/** Something that is shown this once, with a button that copies it. */
function SecretBox({ name, secret, onClose }: { name: string; secret: string; onClose: () => void }) {
  return (
    <section class="panel secret" aria-label={`The key ${name}`}>
      <p>
        <strong>This is the key {name}. It is not shown again.</strong> Copy it now: the server keeps only its digest.
      </p>
      <pre class="secret-text">{secret}</pre>
      <div class="actions">
        <CopyButton class="primary" text={secret} />
        <button type="button" onClick={onClose}>
          I have it
        </button>
      </div>
    </section>
  )
}
