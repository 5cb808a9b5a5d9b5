/** Tells an agent something while it works. */
import { useState } from 'preact/hooks'
import { say } from '../live/actions.ts'

export function SayBox({ id }: { id: string }) {
  const [text, setText] = useState('')
  const [isSending, setSending] = useState(false)
  const send = async () => {
    setSending(true)
    if (await say(id, text)) setText('')
    setSending(false)
  }
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <textarea
        aria-label="Message to the agent"
        placeholder="Tell the agent something while it works"
        rows={2}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" disabled={isSending || text.trim() === ''}>
        Send
      </button>
    </form>
  )
}
