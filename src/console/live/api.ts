/** Requests to the HTTP API of the server. */
import { signal } from '@preact/signals'
import type { Sender } from '../../http/native/login.shape.ts'

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
  const csrf = sender.peek()?.csrf_token
  const response = await fetch(new URL(`api/v1/${path}`, document.baseURI), {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(csrf !== undefined && { 'x-drover-csrf': csrf }),
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
  if (problem.status === 401 && problem.code === 'unauthorized') sender.value = null
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
    sender.value = await call<Sender>('me')
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    sender.value = null
  }
}

export async function logIn(credential: { key: string } | { link: string }): Promise<void> {
  sender.value = await call<Sender>('login', { method: 'POST', body: credential })
}

export async function logOut(): Promise<void> {
  await call('logout', { method: 'POST' })
  sender.value = null
}
