/** Renames, tags, shares, exports and deletes a session. */
import { useSignal } from '@preact/signals'
import type { SessionDetail } from '../../executions/session-turn.shape.ts'
import type { SessionEdit } from '../../sessions/session-store.ts'
import { attempt, saveJson, submits, tell } from '../live/actions.ts'
import { call, sender } from '../live/api.ts'
import { goTo } from '../live/router.ts'

type ToolsProps = { session: SessionDetail; onChanged: () => Promise<void> }

export function SessionTools({ session, onChanged }: ToolsProps) {
  const title = useSignal(session.title ?? '')
  const tags = useSignal(session.tags.join(' '))
  const isSure = useSignal(false)
  const path = `sessions/${session.id}`
  const edit = (body: SessionEdit) =>
    attempt(async () => {
      await call(path, { method: 'PATCH', body })
      tell('Saved.')
      await onChanged()
    })
  const remove = () =>
    attempt(async () => {
      await call(path, { method: 'DELETE' })
      tell('The session was deleted.')
      goTo('#/sessions')
    })
  return (
    <details class="tools">
      <summary>Rename, tag, share, export, delete</summary>
      <form
        class="fields"
        onSubmit={submits(() =>
          edit({ title: title.value.trim() || null, tags: tags.value.split(/[\s,]+/).filter(Boolean) }),
        )}
      >
        <label>
          Title
          <input value={title.value} maxLength={200} onInput={(event) => (title.value = event.currentTarget.value)} />
        </label>
        <label>
          Tags
          <input value={tags.value} onInput={(event) => (tags.value = event.currentTarget.value)} />
        </label>
        <div class="actions">
          <button type="submit">Save</button>
          {sender.value?.auth !== 'none' && (
            <button type="button" onClick={() => void edit({ shared: session.shared !== true })}>
              {session.shared === true ? 'Stop sharing' : 'Share with all keys'}
            </button>
          )}
          <button type="button" onClick={() => exportSession(session)}>
            Export
          </button>
          {isSure.value ? (
            <button type="button" class="danger" onClick={() => void remove()}>
              Delete permanently
            </button>
          ) : (
            <button type="button" onClick={() => (isSure.value = true)}>
              Delete…
            </button>
          )}
        </div>
      </form>
    </details>
  )
}

/** Saves what the API returned as a file. */
function exportSession(session: SessionDetail): void {
  saveJson(session, `session-${session.id.slice(0, 8)}.json`)
}
