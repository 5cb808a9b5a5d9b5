/** Ctrl-K: finds pages, runs, sessions and the files of the open run, and opens what is chosen. */

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { DrivenDiff, DrivenRun, DrivenRunPage } from '../drive/service/driven-run.shape.ts'
import type { Session } from '../sessions/session.shape.ts'
import { isHelpOpen, isPaletteOpen } from './keyboard.ts'
import { call, sender } from './live/api.ts'
import { runs } from './live/known-runs.ts'
import { goTo, route, toHash } from './live/router.ts'
import { usePages } from './live/use-pages.ts'
import { type Entry, findEntries, MOST } from './text/find-entries.ts'
import { nameOfRepository } from './text/format.ts'
import { hrefOf, pageLinksFor } from './text/page-links.ts'
import { toLine } from './text/visible-text.ts'

type Choice = Entry & { readonly run: () => void }

/** The server takes no longer search. */
const MAX_SEARCH = 200

export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null)
  const search = useSignal('')
  const chosen = useSignal(0)
  const found = useFound(search.value, useFilesOfRun())
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => current?.close()
  }, [])
  const close = () => (isPaletteOpen.value = false)
  const at = Math.min(chosen.value, found.length - 1)
  const open = (choice: Choice | undefined) => {
    if (choice === undefined) return
    close()
    choice.run()
  }
  const move = (step: number) => {
    chosen.value = Math.min(Math.max(at + step, 0), found.length - 1)
    document.getElementById(`choice-${chosen.value}`)?.scrollIntoView({ block: 'nearest' })
  }
  return (
    <dialog ref={dialog} class="palette" aria-label="Find" onClose={close}>
      <input
        type="text"
        role="combobox"
        aria-label="Find a page, run, session or file"
        aria-expanded="true"
        aria-controls="choices"
        aria-activedescendant={found.length === 0 ? undefined : `choice-${at}`}
        placeholder="Find a page, run, session or file"
        autocomplete="off"
        value={search.value}
        onInput={(event) => {
          search.value = event.currentTarget.value
          chosen.value = 0
        }}
        onKeyDown={(event) => {
          const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
          if (step === 0 && event.key !== 'Enter') return
          event.preventDefault()
          if (step === 0) open(found[at])
          else move(step)
        }}
      />
      <div id="choices" role="listbox" aria-label="Found" class="choices">
        {found.map((choice, index) => (
          <div key={`${choice.group} ${choice.id}`}>
            {choice.group !== found[index - 1]?.group && (
              <div class="choices-head dim" role="presentation">
                {choice.group}
              </div>
            )}
            <div
              id={`choice-${index}`}
              class="choice"
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onClick={() => open(choice)}
              onKeyDown={() => undefined}
            >
              <span class="choice-text">{toLine(choice.says)}</span>
              {choice.hint !== undefined && <span class="dim">{toLine(choice.hint)}</span>}
            </div>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="dim">Nothing is found.</p>}
    </dialog>
  )
}

function commands(): Choice[] {
  const pages = pageLinksFor(sender.value?.role).map((link): Choice => {
    const { page, says, key } = link
    return { group: 'Commands', id: page, says, ...(key && { hint: key }), run: () => goTo(hrefOf(link)) }
  })
  const change = { group: 'Commands', id: 'change', says: 'New change', run: () => goTo('#/new/change') } as const
  const keys = { group: 'Commands', id: 'keys-help', says: 'Keyboard shortcuts', hint: '?' } as const
  return [...pages, change, { ...keys, run: () => (isHelpOpen.value = true) }]
}

function toSessionChoice({ id, title, initial_prompt: prompt, backend }: FoundSessions['sessions'][number]): Choice {
  const text = { group: 'Sessions', id, says: title ?? prompt, hint: backend } as const
  return { ...text, run: () => goTo(toHash('sessions', id)) }
}

function toRunChoice({ id, title, repository }: DrivenRun): Choice {
  const text = { group: 'Runs', id, says: title, hint: nameOfRepository(repository) } as const
  return { ...text, run: () => goTo(toHash('runs', id)) }
}

type FoundSessions = {
  sessions: readonly Pick<Session, 'id' | 'title' | 'initial_prompt' | 'backend'>[]
  next?: undefined
}

/** The server searches too, because a page has only the latest. */
function useFound(search: string, files: readonly Choice[]): readonly Choice[] {
  const wanted = search.trim().slice(0, MAX_SEARCH)
  const query = wanted === '' ? undefined : new URLSearchParams({ search: wanted, limit: String(MOST) })
  const found = usePages<DrivenRunPage>(query && `runs?${query}`).pages?.[0]?.runs ?? []
  const sessions = usePages<FoundSessions>(query && `sessions?${query}`).pages?.[0]?.sessions ?? []
  const known = findEntries(runs.value.map(toRunChoice), search)
  const older = found.filter(({ id }) => !known.some((each) => each.id === id))
  return [
    ...findEntries(commands(), search),
    ...[...known, ...older.map(toRunChoice)].slice(0, MOST),
    ...findEntries(files, search),
    ...sessions.map(toSessionChoice),
  ]
}

function useFilesOfRun(): readonly Choice[] {
  const { page, id } = route.value
  const paths = useSignal<readonly string[]>([])
  useEffect(() => {
    if (page !== 'runs' || id === '') return
    call<DrivenDiff>(`runs/${encodeURIComponent(id)}/diff?files_only=true`).then(
      ({ files }) => (paths.value = files.map(({ path }) => path)),
      () => undefined,
    )
  }, [page, id])
  return paths.value.map((path) => ({
    ...{ group: 'Files of this run', id: path, says: path },
    run: () => {
      goTo(toHash('runs', id, { tab: 'files' }))
      showFile(path)
    },
  }))
}

const LOOK_MS = 100
const LOOKS = 50

/** The page with the files is loaded first. */
function showFile(path: string, looks = 0): void {
  const file = [...document.querySelectorAll<HTMLElement>('[data-file]')].find(
    (each) => each.getAttribute('aria-label') === toLine(path),
  )
  if (file !== undefined) {
    file.focus()
    file.scrollIntoView({ block: 'start' })
  } else if (looks < LOOKS) setTimeout(() => showFile(path, looks + 1), LOOK_MS)
}
