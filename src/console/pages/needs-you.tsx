/** What waits for the user: a list, and beside it what is chosen in it, with the buttons that decide. */

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { waitingRuns } from '../live/known-runs.ts'
import { needsYou } from '../live/server-state.ts'
import { ApprovalCard } from '../parts/approval-card.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { Age } from '../parts/state-chip.tsx'
import { RunCard } from '../runs/run-choices.tsx'
import { describeReason } from '../runs/run-facts.ts'
import { nameOfRepository } from '../text/format.ts'
import { toLine } from '../text/visible-text.ts'

type Waiting = {
  key: string
  icon: IconName
  title: string
  says: string
  where?: string
  at: string
  /** The keys that decide work on its row too. */
  approvalId?: string
  card: ComponentChildren
}

export function NeedsYou() {
  const chosen = useSignal('')
  const items = listWaiting()
  const [first] = items
  if (first === undefined) return null
  const shown = items.find(({ key }) => key === chosen.value) ?? first
  return (
    <section aria-label="Needs you" class="needs-you">
      <h2>
        Needs you <span class="count">{items.length}</span>
      </h2>
      <div class={items.length > 1 ? 'list-and-detail' : ''}>
        {items.length > 1 && (
          <div class="needs-list">
            {items.map((item) => (
              <Row key={item.key} item={item} isShown={item === shown} onShow={() => (chosen.value = item.key)} />
            ))}
          </div>
        )}
        <div class={items.length > 1 ? 'detail' : ''}>{shown.card}</div>
      </div>
    </section>
  )
}

function listWaiting(): Waiting[] {
  const approvals = needsYou.value.map((approval): Waiting => {
    const { approval_id: id, tool_name: tool, command, reason, questions, asked_at: at } = approval
    const says = questions?.[0]?.text ?? command ?? reason ?? ''
    const [icon, title] = questions === undefined ? (['terminal', tool] as const) : (['question', 'Question'] as const)
    return {
      ...{ key: id, approvalId: id, icon, title, says, at },
      card: <ApprovalCard key={id} approval={approval} />,
    }
  })
  const runs = waitingRuns.value.map((run): Waiting => {
    return {
      ...{ key: run.id, icon: run.waits_for === undefined ? 'pause' : 'question', title: run.title },
      ...{ says: describeReason(run), where: nameOfRepository(run.repository) },
      ...{ at: run.updated_at, card: <RunCard key={run.id} run={run} /> },
    }
  })
  return [...approvals, ...runs]
}

function Row({ item, isShown, onShow }: { item: Waiting; isShown: boolean; onShow: () => void }) {
  const { icon, title, says, where, at, approvalId } = item
  return (
    <button
      type="button"
      class="needs-row"
      data-row
      data-approval={approvalId}
      aria-pressed={isShown}
      onFocus={onShow}
      onClick={onShow}
    >
      <Icon name={icon} />
      <span class="needs-text">
        <strong>{toLine(title)}</strong>
        <span class="dim">{toLine(says)}</span>
      </span>
      <span class="dim">
        <Age time={at} />
        {where !== undefined && <span>{toLine(where)}</span>}
      </span>
    </button>
  )
}
