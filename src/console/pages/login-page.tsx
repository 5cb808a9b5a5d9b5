import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { submits } from '../live/actions.ts'
import { logIn } from '../live/api.ts'
import { iconOf } from '../live/browser-tab.ts'

export function LoginPage({ problem = '' }: { problem?: string }) {
  const key = useSignal('')
  const failure = useSignal('')
  const isSent = useSignal(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    document.title = 'Log in – drover'
    field.current?.focus()
  }, [])
  const submit = async () => {
    isSent.value = true
    try {
      await logIn({ key: key.value.trim() })
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error)
    } finally {
      isSent.value = false
    }
  }
  const shown = failure.value || problem
  return (
    <main class="login">
      <h1 class="brand">
        <img src={iconOf('idle')} alt="" />
        drover
      </h1>
      <form onSubmit={submits(submit)}>
        <label>
          API key
          <input
            ref={field}
            type="password"
            autocomplete="current-password"
            required
            value={key.value}
            onInput={(event) => {
              key.value = event.currentTarget.value
            }}
          />
        </label>
        <button type="submit" class="primary" disabled={isSent.value}>
          Log in
        </button>
      </form>
      {shown !== '' && (
        <p class="problem" role="alert">
          {shown}
        </p>
      )}
      <p class="dim">
        On the server machine, <code>drover open</code> prints a link that logs you in without a key.
      </p>
    </main>
  )
}
