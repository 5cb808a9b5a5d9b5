/** Further work on the branch of a run: a text of the user, or the comments on lines. Each gets a separate verdict. */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import type { FollowUpBody } from '../../service/run-requests.shape.ts'
import { submits } from '../live/actions.ts'
import { commentsOf, findDraft, toRequirement } from '../live/drafts.ts'
import { changeRun } from '../live/known-runs.ts'
import { replaceHash, toHash } from '../live/router.ts'
import { LongText } from '../parts/form-fields.tsx'

/** The most that a further round takes. */
const MOST = 10

async function followUp(run: DrivenRun, also: readonly string[]): Promise<boolean> {
  const body: FollowUpBody = { also: [...also] }
  const isSent = await changeRun(run.id, 'follow-up', body)
  if (isSent) awaitNextRound(run.id)
  return isSent
}

/** What should change, in the words of the user. */
export function ChangeForm({ run, onDone }: { run: DrivenRun; onDone: () => void }) {
  const text = findDraft(`change ${run.id}`)
  const isSent = useSignal(false)
  const send = async () => {
    if (text.value.trim() === '' || isSent.value) return
    isSent.value = true
    const isDone = await followUp(run, [text.value])
    isSent.value = false
    if (!isDone) return
    text.value = ''
    onDone()
  }
  return (
    <form class="card change" onSubmit={submits(send)}>
      <LongText
        name="What should change? The agent continues on the same branch."
        rows={3}
        value={text}
        onSend={send}
      />
      <div class="actions">
        <button type="submit" class="primary" disabled={isSent.value || text.value.trim() === ''}>
          Send
        </button>
        <button type="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  )
}

/** Stays in view while there are comments that were not sent. */
export function CommentBar({ run }: { run: DrivenRun }) {
  const comments = commentsOf(run.id)
  const isSent = useSignal(false)
  const { length: count } = comments.value
  if (count === 0) return null
  const send = async () => {
    isSent.value = true
    if (await followUp(run, comments.value.map(toRequirement))) comments.value = []
    isSent.value = false
  }
  return (
    <div class="comment-bar">
      <span>
        {count === 1 ? '1 comment' : `${count} comments`}
        {count > MOST && <span class="problem"> One round takes at most {MOST}.</span>}
      </span>
      <button type="button" class="primary" disabled={isSent.value || count > MOST} onClick={() => void send()}>
        Send as one follow-up
      </button>
      <button type="button" class="quiet" onClick={() => (comments.value = [])}>
        Discard comments
      </button>
    </div>
  )
}

const awaited = new Set<string>()

/** After the user has asked for more, the page goes to the round that works on it, as soon as there is one. */
function awaitNextRound(runId: string): void {
  awaited.add(runId)
}

export function useNextRound(run: DrivenRun | undefined): void {
  const next = run?.next_run_id
  useEffect(() => {
    if (run === undefined || next === undefined || !awaited.delete(run.id)) return
    replaceHash(toHash('runs', next))
  }, [next])
}
