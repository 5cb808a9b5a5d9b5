/** The way back leads to the same place of a page, and a link to the beginning of one. */

/** Lists are read again. After this time the user has begun to look. */
const PATIENCE_MS = 1500

/** Counts the changes of the page, and what the user does: both end the search for a place. */
let changes = 0

/** Browsers without this API begin every page at its top. */
export function startScrolling(): void {
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
