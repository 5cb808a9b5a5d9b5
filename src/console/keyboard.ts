/** The keys of the keyboard. None of them works while the user types, or in a dialog. */
import { signal } from '@preact/signals'
import { isForPage, type KeyPress } from './key-press.ts'
import { tell } from './live/actions.ts'
import { goTo } from './live/router.ts'
import { hrefOf, PAGE_LINKS } from './text/page-links.ts'

export const KEYS: readonly { key: string; says: string; run: () => void }[] = [
  ...PAGE_LINKS.flatMap((link) =>
    link.key === undefined ? [] : [{ key: link.key, says: link.says.toLowerCase(), run: () => goTo(hrefOf(link)) }],
  ),
  { key: '/', says: 'search', run: search },
  { key: 'j', says: 'next row', run: () => moveRow(1) },
  { key: 'k', says: 'previous row', run: () => moveRow(-1) },
  { key: 'a', says: 'allow the selected approval', run: () => decide('allow') },
  { key: 'd', says: 'deny the selected approval', run: () => decide('deny') },
  { key: 'v', says: 'mark the selected file as viewed', run: markViewed },
  { key: 'c', says: 'comment on a line of the selected file: arrows choose the line, Enter opens', run: chooseLine },
  {
    key: '?',
    says: 'show these shortcuts',
    run: () => {
      isHelpOpen.value = true
    },
  },
]

export function startKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (moveLine(event) || openPalette(event)) return
    const found = KEYS.find(({ key }) => key === event.key)
    if (found === undefined || !isForPage(toPress(event))) return
    event.preventDefault()
    found.run()
  })
}

/** Also while the user types: no field needs this key. */
function openPalette(event: KeyboardEvent): boolean {
  const isMeant =
    (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === 'k'
  if (!isMeant || document.querySelector('dialog[open]') !== null) return false
  event.preventDefault()
  isPaletteOpen.value = true
  return true
}

function toPress(event: KeyboardEvent): KeyPress {
  const { key, ctrlKey, metaKey, altKey, shiftKey, repeat, isComposing } = event
  return {
    ...{ key, ctrlKey, metaKey, altKey, repeat, isComposing },
    isShifted: shiftKey || event.getModifierState('AltGraph'),
    isInField: isTyping(event.target),
    isDialogOpen: document.querySelector('dialog[open]') !== null,
  }
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
  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]:not(.detail [data-row])')]
  const current = rows.findIndex((row) => row === document.activeElement || row.contains(document.activeElement))
  const next = rows[Math.min(Math.max(current + step, 0), rows.length - 1)]
  next?.focus()
  next?.scrollIntoView({ block: next.matches('[data-file]') ? 'start' : 'nearest' })
}

const selectedFile = () => document.activeElement?.closest('[data-file]')

function markViewed(): void {
  const box = selectedFile()?.querySelector<HTMLElement>('[data-viewed]')
  if (box === null || box === undefined) tell('No file is selected. Use j and k to select one.')
  else box.click()
}

/** The first line that was added or removed. */
function chooseLine(): void {
  const line = selectedFile()?.querySelector('.line-added, .line-removed')?.parentElement
  const button = line?.querySelector<HTMLElement>('[data-line]:last-of-type')
  if (button === null || button === undefined) tell('No file with lines is selected. Use j and k to select one.')
  else button.focus()
}

/** From the number of a line to the one above or below it. */
function moveLine({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement) || !target.matches('[data-line]')) return false
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return false
  const all = [...(target.closest('[data-file]')?.querySelectorAll<HTMLElement>('[data-line]') ?? [])]
  const at = all.indexOf(target) + (key === 'ArrowDown' ? 1 : -1)
  all[at]?.focus()
  return true
}

/** Only about the approval that has the focus: what else waits may have changed since the user looked. */
function decide(choice: 'allow' | 'deny'): void {
  const id = document.activeElement?.closest<HTMLElement>('[data-approval]')?.dataset['approval']
  const card = id === undefined ? null : document.querySelector(`article[data-approval="${CSS.escape(id)}"]`)
  const button = card?.querySelector<HTMLElement>(`[data-choice="${choice}"]`)
  if (button === undefined || button === null) tell('No approval is selected. Use j and k to select one.')
  else button.click()
}

/** What lies over the page. */
export const isHelpOpen = signal(false)
export const isPaletteOpen = signal(false)
