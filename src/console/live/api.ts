/** Requests to the HTTP API of the server. */
import { signal } from '@preact/signals'
import type { LoggedIn, Sender } from '../../service/request-sender.shape.ts'

/** Who this page is for the server. Undefined until it is known, null if the user must log in. */
export const sender = signal<Sender | null | undefined>(undefined)

/** An error that the server reported, or that it could not be reached (status 0). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string

  constructor({ status, code, message }: { status: number; code: string; message: string }) {
    super(message)
    this.status = status
    this.code = code
  }
}

type Call = { method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'; body?: object; signal?: AbortSignal; headers?: HeadersInit }

/** Throws an `ApiError`. A response without a login leads to the login page. */
export async function send(
  path: string,
  { method = 'GET', body, signal: abort, headers }: Call = {},
): Promise<Response> {
  const secret = readSecret()
  const response = await fetch(new URL(`api/v1/${path}`, document.baseURI), {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(secret !== undefined && { 'x-drover-page-secret': secret }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(abort !== undefined && { signal: abort }),
    cache: 'no-store',
  }).catch((error: unknown) => {
    if (abort?.aborted === true) throw error
    throw new ApiError({ status: 0, code: 'unreachable', message: 'the server cannot be reached' })
  })
  if (response.ok) return response
  const problem = await readProblem(response)
  if (problem.status === 401 && problem.code === 'unauthorized') endLogin(secret)
  throw problem
}

export async function call<T>(path: string, options: Call = {}): Promise<T> {
  return (await send(path, options)).json()
}

async function readProblem(response: Response): Promise<ApiError> {
  const body = await response.json().catch(() => ({}))
  const { error = 'unknown', message = `the server answered with status ${response.status}` } = body
  return new ApiError({ status: response.status, code: String(error), message: String(message) })
}

/** Asks the server who this page is. */
export async function identify(): Promise<void> {
  try {
    become(await call<Sender>('me'))
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    sender.value = null
  }
}

export async function logIn(credential: { key: string } | { link: string }): Promise<void> {
  const { page_secret: secret, ...known } = await call<LoggedIn>('login', { method: 'POST', body: credential })
  keepSecret(secret)
  become(known)
}

/** Also if the server cannot be reached: without its secret, the login is nothing. */
export async function logOut(): Promise<void> {
  try {
    await call('logout', { method: 'POST' })
  } finally {
    dropSecret()
    forgetEverything()
  }
}

/** Who the page has shown something to. */
let shownTo: string | undefined

/** What someone has typed stays when the same one logs in again. Another one must see nothing of it. */
function become(next: Sender): void {
  const name = `${next.auth} ${next.name}`
  if (shownTo !== undefined && shownTo !== name) forgetEverything()
  else {
    shownTo = name
    sender.value = next
  }
}

/** The server does not accept the secret. If another tab has logged in meanwhile, its login counts here too. */
function endLogin(used: string | undefined): void {
  sender.value = null
  if (used === readSecret()) dropSecret()
  else void identify().catch(() => undefined)
}

/** Notices when another tab logs in or out. */
export function watchLogin(): void {
  watchSecret(() => {
    if (sender.peek()?.auth === 'login' && readSecret() === undefined) forgetEverything()
    else void identify().catch(() => undefined)
  })
}

/** Nothing in memory and no open stream outlives a reload. */
function forgetEverything(): void {
  sender.value = null
  history.replaceState(null, '', '#/')
  location.reload()
}

/**
 * The secret of the login, in the storage of this origin: no other server on the host gets it, and all tabs share it. The
 * cookie alone is nothing for the server.
 */

/** A proxy may serve several servers under one origin, by path. */
const nameOfSecret = () => `drover page secret ${new URL('.', document.baseURI).pathname}`

/** For a browser that refuses to store anything: the login lasts as long as the page. */
let inMemory: string | undefined

/** Another tab may have logged in or out, so it is read for every request. */
function readSecret(): string | undefined {
  try {
    return localStorage.getItem(nameOfSecret()) ?? undefined
  } catch {
    return inMemory
  }
}

function keepSecret(secret: string): void {
  inMemory = secret
  try {
    localStorage.setItem(nameOfSecret(), secret)
  } catch {
    // It is in memory.
  }
}

function dropSecret(): void {
  inMemory = undefined
  try {
    localStorage.removeItem(nameOfSecret())
  } catch {
    // It was in memory.
  }
}

/** Calls `note` when another tab has logged in or out, also while this page was put aside by the browser. */
function watchSecret(note: () => void): void {
  window.addEventListener('storage', ({ key }) => {
    // Null: everything was removed.
    if (key === nameOfSecret() || key === null) note()
  })
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) note()
  })
}
