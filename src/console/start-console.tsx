/** Starts the console: logs in by a link, or asks the server who this page is. */
import { render } from 'preact'
import { App } from './app.tsx'
import { startKeys } from './keyboard.ts'
import { identify, logIn, sender, watchLogin } from './live/api.ts'
import { startNotifications } from './live/notifications.ts'
import { parseHash, replaceHash } from './live/router.ts'
import { startScrolling } from './live/scroll.ts'

const RETRY_MS = 1000

async function start(): Promise<string> {
  const { page, id } = parseHash(location.hash)
  if (page !== 'open') {
    await identify()
    return ''
  }
  // The link works once, so it must not stay in the history.
  replaceHash('#/')
  try {
    await logIn({ link: id })
    return ''
  } catch (error) {
    await identify()
    return sender.value === null ? String(error instanceof Error ? error.message : error) : ''
  }
}

/** The server may not be up yet. */
async function startUntilReached(): Promise<string> {
  for (;;) {
    try {
      return await start()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    }
  }
}

const root = document.getElementById('app')
if (root !== null) {
  watchLogin()
  startKeys()
  startNotifications()
  startScrolling()
  render(<App problem="" />, root)
  void startUntilReached().then((problem) => render(<App problem={problem} />, root))
}
