/** Continues a session with another prompt, with its own agent or with another one. */
import { useSignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import type { Attachment } from '../../prompts/prompt-request.shape.ts'
import { attempt, resumeSession, submits } from '../live/actions.ts'
import { findDraft } from '../live/drafts.ts'
import { goTo, toHash } from '../live/router.ts'
import { backends } from '../live/server-state.ts'
import { AttachFiles, pasteInto, sentFiles } from './attach-files.tsx'
import { LongText } from './form-fields.tsx'

type ResumeProps = { sessionId: string; backend?: string; onStarted?: (executionId: string) => void }

export function ResumeForm({ sessionId, backend, onStarted }: ResumeProps) {
  const draft = findDraft(`session ${sessionId}`)
  const prompt = draft.value
  const [other, setOther] = useState('')
  const [isSent, setSent] = useState(false)
  const files = useSignal<readonly Attachment[]>([])
  const submit = async () => {
    if (prompt.trim() === '' || isSent) return
    setSent(true)
    const fork = other === '' ? {} : { fork: true, backend: other }
    const accepted = await attempt(() => resumeSession(sessionId, { prompt, ...fork, ...sentFiles(files) }))
    setSent(false)
    if (accepted === undefined) return
    draft.value = ''
    files.value = []
    if (onStarted !== undefined && other === '') onStarted(accepted.execution_id)
    else goTo(toHash('executions', accepted.execution_id))
  }
  return (
    <form class="resume" onPaste={pasteInto(files)} onSubmit={submits(submit)}>
      <LongText name="Continue with" rows={3} value={draft} onSend={submit} />
      <div class="actions">
        <label>
          Agent{' '}
          <select value={other} onChange={(event) => setOther(event.currentTarget.value)}>
            <option value="">{backend ?? 'the same'}</option>
            {backends.value
              .filter(({ available, name }) => available && name !== backend)
              .map(({ name }) => (
                <option key={name} value={name}>
                  {name} (a new session)
                </option>
              ))}
          </select>
        </label>
        <AttachFiles files={files} />
        <button type="submit" class="primary" disabled={isSent || prompt.trim() === ''}>
          Send
        </button>
      </div>
    </form>
  )
}
