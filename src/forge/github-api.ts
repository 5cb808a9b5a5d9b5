/** Asks GitHub's API about one repository: pages, conditional requests, changes. */
import { Fault } from '../kit/fault.ts'
import type { JsonValue } from '../kit/json/json-value.ts'
import { checker, type Validate } from '../kit/schema.ts'
import { askForPage, askProvider, openProvider, type Page, type Provider } from './ask-provider.ts'
import { issueNotFound, providerAnswerInvalid } from './faults.ts'
import type { ForgeRepository } from './forge.ts'
import type { Gh } from './gh.ts'
import { nextPage } from './http-answer.ts'

/** 10,000 comments. */
const MOST_PAGES = 100

export type GitHubOptions = {
  readonly repository: ForgeRepository
  readonly gh: Gh
  readonly signal: AbortSignal
  /** How long one request may take, with the wait for a limit of GitHub. */
  readonly patienceMs: number
}

/** `subject` is for error messages. */
type Wanted = { readonly path: string; readonly validate: Validate; readonly subject: string }

type KeptPage = { etag: string | undefined; value: unknown; next: string | undefined }

export class GitHubApi {
  /** `owner/repo`. */
  readonly name: string
  readonly #root: string
  readonly #options: GitHubOptions
  /** By path: a page that has not changed does not count for the limit of requests. */
  readonly #pages = new Map<string, KeptPage>()

  constructor(options: GitHubOptions) {
    const { owner, repo } = options.repository
    this.name = `${owner}/${repo}`
    this.#root = `repos/${encodeURIComponent(owner)}/${encodeURIComponent(repo)}`
    this.#options = options
  }

  async get<T>(wanted: Wanted): Promise<T> {
    return (await this.#page(wanted)).value as T
  }

  /** All pages, or the first ones of a list that may have any length. */
  async getAll<T>(wanted: Wanted, first = Infinity): Promise<T[]> {
    const found: T[] = []
    for (let path: string | undefined = wanted.path; path !== undefined && found.length < first; ) {
      if (found.length === MOST_PAGES) {
        throw providerAnswerInvalid({ subject: wanted.subject, problem: `it has more than ${MOST_PAGES} pages` })
      }
      const page: KeptPage = await this.#page({ ...wanted, path })
      found.push(page.value as T)
      path = page.next
    }
    return found
  }

  async #page({ path, validate, subject }: Wanted): Promise<KeptPage> {
    const kept = this.#pages.get(path)
    const request = { path: `${this.#root}${path}`, etag: kept?.etag }
    const answer = await askForPage(this.#provider(), { request, subject, check: checker('answer', validate) })
    const page = answer.value === undefined ? kept : toKept(path, answer.value.is, answer.headers)
    if (page === undefined) throw providerAnswerInvalid({ subject, problem: 'it is empty' })
    this.#pages.set(path, page)
    return page
  }

  /** A text of any length. If it is very long, only its beginning and its end. */
  async getLog(path: string, subject: string): Promise<string> {
    const request = { path: `${this.#root}${path}`, isLog: true as const }
    return await askProvider(this.#provider(), { request, subject, check: String, format: 'text' })
  }

  /** Undefined if GitHub answers with nothing. */
  async change(method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: JsonValue): Promise<unknown> {
    const request = { path: `${this.#root}${path}`, method, ...(body !== undefined && { body }) }
    const subject = `${this.name}${path}`
    return (await askForPage(this.#provider(), { request, subject, check: (value) => value })).value?.is
  }

  async ask<T>(query: string, variables: JsonValue, validate: Validate): Promise<T> {
    const request = { query, variables }
    return await askProvider(this.#provider(), { request, subject: this.name, check: checker<T>('answer', validate) })
  }

  #provider(): Provider {
    const { gh, signal, patienceMs } = this.#options
    return { ...openProvider(gh, signal), deadline: performance.now() + patienceMs }
  }
}

function toKept(path: string, value: unknown, headers: Page<unknown>['headers']): KeptPage {
  return { etag: headers['etag'], value, next: nextPage(path, headers) }
}

/** Undefined if GitHub says that it does not exist. */
export async function orMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Fault && error.code === issueNotFound.code) return undefined
    throw error
  }
}
