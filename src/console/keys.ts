/** The keys of the keyboard. None of them works while the user types. */
import { signal } from '@preact/signals'
import { goTo } from './live/router.ts'

export const isHelpOpen = signal(false)

export const KEYS: readonly { key: string; says: string; run: () => void }[] = [
  { key: 'n', says: 'new prompt', run: () => goTo('#/new') },
  { key: 'h', says: 'home', run: () => goTo('#/') },
  { key: 'r', says: 'runs', run: () => goTo('#/runs') },
  { key: 's', says: 'sessions', run: () => goTo('#/sessions') },
  { key: 'u', says: 'usage', run: () => goTo('#/usage') },
  { key: '/', says: 'search', run: search },
  { key: 'j', says: 'next row', run: () => moveRow(1) },
  { key: 'k', says: 'previous row', run: () => moveRow(-1) },
  { key: 'a', says: 'allow what the selected row asks for, or the first', run: () => press('allow') },
  { key: 'd', says: 'deny it', run: () => press('deny') },
  {
    key: '?',
    says: 'these keys',
    run: () => {
      isHelpOpen.value = !isHelpOpen.value
    },
  },
]

export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const found = KEYS.find(({ key }) => key === event.key)
    if (found === undefined) return
    event.preventDefault()
    if (found.key !== '?') isHelpOpen.value = false
    found.run()
  })
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
}

function search(): void {
  const focus = () => document.querySelector<HTMLElement>('[data-search]')?.focus()
  if (document.querySelector('[data-search]') === null) {
    goTo('#/sessions')
    // The page is loaded first.
    setTimeout(focus, 300)
  } else focus()
}

function moveRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')]
  const current = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement))
  const next = rows[Math.min(Math.max(current + step, 0), rows.length - 1)]
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
}

function press(choice: string): void {
  const selected = document.activeElement?.closest('[data-row]') ?? document
  const button =
    selected.querySelector<HTMLElement>(`[data-choice="${choice}"]`) ??
    document.querySelector<HTMLElement>(`[data-choice="${choice}"]`)
  button?.click()
}
