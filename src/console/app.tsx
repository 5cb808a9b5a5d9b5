/** The frame of the console: who is logged in, navigation, the page of the address. */
import { useSignal } from '@preact/signals'
import type { ComponentType, Ref } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { isHelpOpen, isPaletteOpen, KEYS } from './keyboard.ts'
import { attempt, notice } from './live/actions.ts'
import { logOut, sender } from './live/api.ts'
import { iconOf, pageSubject, showIcon } from './live/browser-tab.ts'
import { activeRuns, waitingRuns } from './live/known-runs.ts'
import { route } from './live/router.ts'
import { connection, isRunning, needsYou, topExecutions, watchServer } from './live/server-state.ts'
import { LazyPage } from './pages/lazy.tsx'
import { LoginPage } from './pages/login-page.tsx'
import { Icon } from './parts/icon.tsx'
import { MorePages } from './parts/menu.tsx'
import { hrefOf, PAGE_LINKS, toPageTitle } from './text/page-links.ts'

export function App({ problem }: { problem: string }) {
  const { value } = sender
  if (value === undefined) return <p class="dim">Connecting…</p>
  if (value === null) return <LoginPage problem={problem} />
  return <Console />
}

function Console() {
  useEffect(() => watchServer(), [])
  const { page, id } = route.value
  const waiting = needsYou.value.length + waitingRuns.value.length
  const main = useFocusOnChange(`${page}/${id}`)
  const title = toPageTitle({ page, id, waiting, subject: pageSubject.value })
  useEffect(() => {
    document.title = title
  }, [title])
  const isWorking = activeRuns.value.length > 0 || topExecutions.value.some(isRunning)
  useEffect(() => showIcon(waiting > 0 ? 'needs' : isWorking ? 'working' : 'idle'), [waiting > 0, isWorking])
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to the content
      </button>
      <Header page={page} waiting={waiting} />
      <main id="main" tabIndex={-1} ref={main}>
        <LazyPage key={`${page}/${id}`} page={page} id={id} />
      </main>
      <div class="notice-area" role="status">
        {notice.value !== undefined && (
          <p key={notice.value.id} class={notice.value.isProblem ? 'notice problem' : 'notice'}>
            {notice.value.text}
            {notice.value.isProblem && (
              <button type="button" class="quiet" onClick={() => (notice.value = undefined)}>
                Close
              </button>
            )}
          </p>
        )}
      </div>
      {isHelpOpen.value && <Help />}
      {isPaletteOpen.value && <LazyPalette />}
    </>
  )
}

/** The keyboard continues in the new page. What had the focus before may be gone. */
function useFocusOnChange(address: string): Ref<HTMLElement> {
  const element = useRef<HTMLElement>(null)
  const before = useRef(address)
  useEffect(() => {
    if (before.current === address) return
    before.current = address
    const { current } = element
    if (current?.contains(document.activeElement) === false) current.focus({ preventScroll: true })
  }, [address])
  return element
}

/** A button, because the address after # names the page. */
function skip(): void {
  document.querySelector<HTMLElement>('main')?.focus()
}

function Header({ page, waiting }: { page: string; waiting: number }) {
  const { auth, name, role } = sender.value ?? {}
  return (
    <header class="top">
      <a class="brand" href="#/">
        <img src={iconOf('idle')} alt="" />
        drover
      </a>
      <nav aria-label="Pages">
        {PAGE_LINKS.filter(({ bar }) => bar !== undefined).map((link) => (
          <a
            key={link.page}
            class={`bar-${link.bar}`}
            href={hrefOf(link)}
            aria-current={page === link.page ? 'page' : undefined}
          >
            {link.says}
            {link.page === 'home' && waiting > 0 && <span class="count">{waiting}</span>}
          </a>
        ))}
        <MorePages page={page} />
      </nav>
      <span class={`connection connection-${connection.value}`}>
        <span>
          {connection.value === 'open' ? 'live' : connection.value === 'cut' ? 'connecting again…' : 'connecting…'}
        </span>
      </span>
      <button type="button" class="find-button" onClick={() => (isPaletteOpen.value = true)}>
        <Icon name="search" /> <span class="find-text">Find</span> <kbd>Ctrl K</kbd>
      </button>
      {auth === 'login' && (
        <span class="who">
          {name} ({role}){' '}
          <button type="button" class="quiet" onClick={() => void attempt(logOut)}>
            Log out
          </button>
        </span>
      )}
      <button
        type="button"
        class="quiet keys-button"
        aria-label="Keys"
        title="Keys"
        onClick={() => (isHelpOpen.value = true)}
      >
        ?
      </button>
    </header>
  )
}

/** Its code is loaded when it is first opened. */
function LazyPalette() {
  const loaded = useSignal<{ Palette: ComponentType } | undefined>(undefined)
  useEffect(() => {
    void import('./palette.tsx').then(
      ({ Palette }) => (loaded.value = { Palette }),
      () => (isPaletteOpen.value = false),
    )
  }, [])
  return loaded.value === undefined ? null : <loaded.value.Palette />
}

/** Modal: the keyboard stays in it, and is back where it was afterwards. */
function Help() {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    return () => current?.close()
  }, [])
  const close = () => (isHelpOpen.value = false)
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={close}>
      <h2 id="help-title">Keyboard shortcuts</h2>
      <dl>
        <div>
          <dt>
            <kbd>Ctrl</kbd> <kbd>K</kbd>
          </dt>
          <dd>find a page, run, session, or file of the open run</dd>
        </div>
        {KEYS.map(({ key, says }) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={close}>
        Close
      </button>
    </dialog>
  )
}
