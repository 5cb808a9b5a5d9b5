/** Loads the code of a page when it is opened. The first page is part of the first script. */
import { useSignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { sender } from '../live/api.ts'
import { connection } from '../live/server-state.ts'
import { Loading } from '../parts/placeholders.tsx'
import { forbiddenPage } from '../text/page-links.ts'
import { toLine } from '../text/visible-text.ts'
import { HomePage } from './home.tsx'

type PageProps = { id: string }
type Load = () => Promise<ComponentType<PageProps>>

const PAGES: Readonly<Record<string, Load>> = {
  home: async () => HomePage,
  new: async () => (await import('./new.tsx')).NewPage,
  change: async () => (await import('./new-change.tsx')).NewChangePage,
  executions: async () => (await import('./execution-page.tsx')).ExecutionPage,
  sessions: async () => (await import('./sessions-page.tsx')).SessionsPage,
  session: async () => (await import('./session-page.tsx')).SessionPage,
  compare: async () => (await import('./compare-page.tsx')).ComparePage,
  board: async () => (await import('./board-page.tsx')).BoardPage,
  queue: async () => (await import('./queue-page.tsx')).QueuePage,
  repositories: async () => (await import('./repositories-page.tsx')).RepositoriesPage,
  keys: async () => (await import('./keys-page.tsx')).KeysPage,
  settings: async () => (await import('./settings-page.tsx')).SettingsPage,
  watchers: async () => (await import('./watchers-page.tsx')).WatchersPage,
  runs: async () => (await import('./runs-page.tsx')).RunsPage,
  run: async () => (await import('./run-page.tsx')).RunPage,
  report: async () => (await import('./report-page.tsx')).ReportPage,
  usage: async () => (await import('./usage-page.tsx')).UsagePage,
}

export function LazyPage({ page, id }: { page: string; id: string }) {
  const forbidden = forbiddenPage(page, sender.value?.role)
  return forbidden === undefined ? <LoadedPage page={page} id={id} /> : <ForbiddenPage title={forbidden} />
}

function LoadedPage({ page, id }: { page: string; id: string }) {
  const name = pageName(page, id)
  const loaded = useSignal<{ Page: ComponentType<PageProps> } | undefined>(
    name === 'home' ? { Page: HomePage } : undefined,
  )
  const problem = useSignal('')
  useEffect(() => {
    void load(name).then(
      (Page) => {
        loaded.value = { Page }
      },
      () => {
        problem.value = 'This page could not be loaded. The server may have been updated: reload.'
      },
    )
  }, [name])
  if (problem.value !== '' && connection.value !== 'cut') return <p class="problem">{problem.value}</p>
  if (loaded.value === undefined) return <Loading />
  const { Page } = loaded.value
  return <Page id={id} />
}

/** The page of one thing has its own name. */
function pageName(page: string, id: string): string {
  if (page === 'new' && id === 'change') return 'change'
  return (page === 'sessions' || page === 'runs') && id !== '' ? page.slice(0, -1) : page
}

async function load(name: string): Promise<ComponentType<PageProps>> {
  const found = Object.hasOwn(PAGES, name) ? PAGES[name] : undefined
  return found === undefined ? UnknownPage : await found()
}

function ForbiddenPage({ title }: { title: string }) {
  const { name = '', role = '' } = sender.value ?? {}
  return (
    <div class="page">
      <h1>{title}</h1>
      <p>
        This page is for those who manage the server: its user, and keys with the role admin. You are {toLine(name)} (
        {role}).
      </p>
      <a href="#/">Home</a>
    </div>
  )
}

function UnknownPage() {
  return (
    <div class="page">
      <h1>There is no such page</h1>
      <p>The address is wrong.</p>
      <a href="#/">Home</a>
    </div>
  )
}
