/** Starts the console: logs in by a link, or asks the server who this page is. */
import { render } from 'preact'
import { App } from './app.tsx'
import { startKeys } from './keyboard.ts'
import { identify, logIn, sender, watchLogin } from './live/api.ts'
import { startNotifications } from './live/notifications.ts'
import { parseHash, replaceHash } from './live/router.ts'

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
/** Lists are read again. After this time the user has begun to look. */
const PATIENCE_MS = 1500

/** Counts the changes of the page, and what the user does: both end the search for a place. */
let changes = 0

if (root !== null) {
  watchLogin()
  startKeys()
  startNotifications()
  startScrolling()
  render(<App problem="" />, root)
  void startUntilReached().then((problem) => render(<App problem={problem} />, root))
}

/**
 * The way back leads to the same place of a page, and a link to the beginning of one. Browsers without this API begin every
 * page at its top.
 */
function startScrolling(): void {
  if (!('navigation' in window)) return
  const { navigation } = window
  const positions = new Map<string, number>()
  history.scrollRestoration = 'manual'
  navigation.addEventListener('navigate', ({ navigationType, destination }) => {
    if (!destination.sameDocument || navigationType === 'replace') return
    positions.set(navigation.currentEntry?.key ?? '', window.scrollY)
    const position = navigationType === 'traverse' ? (positions.get(destination.key) ?? 0) : 0
    changes += 1
    window.scrollTo({ top: 0 })
    if (position > 0) scrollWhenLongEnough(position)
  })
  for (const name of ['wheel', 'touchmove', 'keydown']) {
    window.addEventListener(name, () => (changes += 1), { passive: true })
  }
}

function scrollWhenLongEnough(position: number): void {
  const [before, deadline] = [changes, performance.now() + PATIENCE_MS]
  const step = () => {
    if (changes !== before) return
    window.scrollTo({ top: position })
    if (window.scrollY < position && performance.now() < deadline) requestAnimationFrame(step)
  }
  // The page of the new address is created first.
  requestAnimationFrame(() => requestAnimationFrame(step))
}
