import { ignoreFault, orUndefined } from '../kit/fault.ts'
import { writeJson } from '../kit/json/write-json.ts'
import type { JsonValue } from '../kit/json-value.ts'
import { type ChildEnvironment, toChildEnvironment } from '../kit/process/child-environment.ts'
import { findProgram, findVersion, type SearchPlaces, type Version } from '../kit/process/find-program.ts'
import { runProcess, runProcessForEnds } from '../kit/process/process.ts'
import { redactSecrets } from '../kit/redact.ts'
import { ghFailed, ghInterrupted, ghMissing, ghTimeout } from './faults.ts'
import type { OriginRepository } from './forge.ts'

/*
 * Runs the user's `gh`, the only way in which drover talks to GitHub. gh has the credentials; drover never sees them. Of an
 * error of gh at most one line is shown, without anything that could be a token.
 */

/** Enough for any answer that fits into an envelope: 16 comments of the largest size, with every character escaped. */
export const ANSWER_LIMIT_BYTES = 32 * 1024 * 1024
/** The headers of the answer, and far more than the last lines that drover shows to agents. */
const LOG_BYTES = { headBytes: 64 * 1024, tailBytes: 1024 * 1024 }
const FETCH_TIMEOUT_MS = 60_000
const LINE_LIMIT = 300

export type Gh = {
  /** Undefined when it is not installed. */
  program: string | undefined
  host: string
  env: ChildEnvironment
  cwd: string
  /** For all requests about one issue together. */
  timeoutMs: number
}

/** A GraphQL query with its variables, or a REST request: a GET unless it says otherwise. Only the ends of a log are read. */
export type GhRequest =
  | { query: string; variables: JsonValue }
  | { path: string; method?: 'POST' | 'PATCH' | 'DELETE'; body?: JsonValue; etag?: string | undefined }
  | { path: string; isLog: true }

export type GhAnswer = HttpAnswer & { exitCode: number; stderr: string }

export function locateGh(places: SearchPlaces, host = 'github.com'): Gh {
  const { env, cwd } = places
  return { program: findProgram('gh', places), host, env: toGhEnvironment(env, host), cwd, timeoutMs: FETCH_TIMEOUT_MS }
}

type Limits = { timeoutMs: number; signal: AbortSignal }

/** A non-zero exit code is an answer too. Throws if gh is missing, too slow, interrupted or killed. */
export async function askGh(gh: Gh, request: GhRequest, { timeoutMs, signal }: Limits): Promise<GhAnswer> {
  const { program, env, cwd, host } = gh
  if (program === undefined) throw ghMissing({})
  const { args, stdin } = toArguments(request)
  const command = {
    argv: [program, 'api', '--include', '--hostname', host, ...args] as const,
    ...{ cwd, env, timeoutMs, signal, sweep: 'always' as const },
    ...(stdin !== undefined && { stdin }),
  }
  const { exit, stdout } =
    'isLog' in request
      ? await runProcessForEnds(command, LOG_BYTES)
      : await runProcess(command, { stdoutLimitBytes: ANSWER_LIMIT_BYTES })
  if (exit.ended === 'timeout') throw ghTimeout({ timeoutMs: gh.timeoutMs })
  if (exit.ended === 'cancelled') throw ghInterrupted({})
  if (exit.code === null) throw ghFailed({ problem: `it was killed by ${exit.signal}` })
  return { ...parseHttpAnswer(stdout), exitCode: exit.code, stderr: exit.stderrTail }
}

function toArguments(request: GhRequest): { args: string[]; stdin?: string } {
  if ('query' in request) {
    const { query, variables } = request
    return { args: ['graphql', '--input', '-'], stdin: writeJson({ query, variables }) }
  }
  if ('isLog' in request) return { args: [request.path, '--method', 'GET'] }
  const { path, method = 'GET', body, etag } = request
  const condition = etag === undefined ? [] : ['--header', `If-None-Match: ${etag}`]
  const args = [path, '--method', method, ...condition]
  return body === undefined ? { args } : { args: [...args, '--input', '-'], stdin: writeJson(body) }
}

/** The first non-blank line of these texts, redacted; undefined if there is none. */
export function quoteFirstLine({ env }: Gh, texts: readonly string[]): string | undefined {
  const line = texts.flatMap((text) => text.split(/[\r\n]+/)).find((each) => each.trim() !== '')
  if (line === undefined) return undefined
  const tokens = Object.entries(env).filter(([name, value]) => /TOKEN$/i.test(name) && value !== '')
  const clean = tokens.reduce((text, [, token]) => text.replaceAll(token, '[redacted]'), line.trim())
  return quoteGh(clean).slice(0, LINE_LIMIT).toWellFormed()
}

/** No token of GitHub is shorter, and few words are as long. */
const LIKE_TOKEN = /[A-Za-z0-9_.-]{20,}/g

/**
 * Output of gh without anything that could be a token. gh may print tokens that drover does not know, in formats that are
 * not published, so every long word is hidden.
 */
export function quoteGh(text: string): string {
  return redactSecrets(text)
    .replace(LIKE_TOKEN, '[redacted]')
    .replace(/\p{Cc}/gu, '?')
    .toWellFormed()
}

/** No prompts, no colors, no update notices. Tracing is off because it prints what is sent. */
const FIXED = { GH_PROMPT_DISABLED: '1', GH_NO_UPDATE_NOTIFIER: '1', GH_PAGER: '', NO_COLOR: '1' } as const
const DROPPED: readonly string[] = ['GH_DEBUG', 'DEBUG', 'GH_FORCE_TTY', 'CLICOLOR_FORCE', 'GH_REPO', 'GH_HOST']

/** gh would send these to any host but github.com. */
const ENTERPRISE_TOKENS: readonly string[] = ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN']

/** The caller's environment with its tokens for gh, but without secrets of drover. */
function toGhEnvironment(env: SearchPlaces['env'], host: string): ChildEnvironment {
  const dropped = env['GH_HOST'] === host ? DROPPED : [...DROPPED, ...ENTERPRISE_TOKENS]
  const inherited = Object.entries(env).filter(([name]) => !dropped.includes(name))
  return { ...toChildEnvironment(Object.fromEntries(inherited)), ...FIXED }
}

/** Reads what `gh api --include` prints, and decides from its headers what follows. Pure. */
export type HttpAnswer = {
  /** Undefined if gh printed no answer, because it got none. */
  status: number | undefined
  /** By their names in lower case. */
  headers: Readonly<Record<string, string>>
  body: Buffer
}

const STATUS_LINE = /^HTTP\/[0-9.]+ ([0-9]{3})\b/
const HEADERS_END = Buffer.from('\r\n\r\n')

export function parseHttpAnswer(printed: Buffer): HttpAnswer {
  const end = printed.indexOf(HEADERS_END)
  const [first = '', ...lines] = end === -1 ? [] : printed.subarray(0, end).toString('latin1').split(/\r?\n/)
  const status = STATUS_LINE.exec(first)?.[1]
  if (status === undefined) return { status: undefined, headers: {}, body: printed }
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  return { status: Number(status), headers, body: printed.subarray(end + HEADERS_END.length) }
}

/** The path of the next page: the same path, because an answer must not choose where a token is sent. */
export function nextPage(path: string, { link = '' }: HttpAnswer['headers']): string | undefined {
  const url = /<([^<>]+)>;\s*rel="next"/.exec(link)?.[1]
  if (url === undefined || !URL.canParse(url)) return undefined
  return `${path.split('?', 1)[0]}${new URL(url).search}`
}

const SERVER_ERROR_WAIT_MS = 2000
const SERVER_ERROR_TRIES = 3
/** As GitHub asks for if it does not say how long. */
const SECONDARY_LIMIT_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 60 * 60_000

type Refusal = Pick<HttpAnswer, 'status' | 'headers'> & {
  /** The requests that failed so far, with this one. */
  failures: number
  /** In milliseconds since 1970. */
  now: number
  /** Whether sending it again does no harm. */
  isRepeatable: boolean
}

/** How long to wait before the request is sent again, in milliseconds. Undefined if it is not sent again. */
export function waitBeforeRetry({ status = 0, headers, failures, now, isRepeatable }: Refusal): number | undefined {
  const isLimited = status === 429 || (status === 403 && saysLimited(headers))
  if (isLimited) return Math.min(LONGEST_WAIT_MS, limitWait(headers, { failures, now }))
  const isServerError = status >= 500 && isRepeatable && failures <= SERVER_ERROR_TRIES
  return isServerError ? SERVER_ERROR_WAIT_MS * 2 ** (failures - 1) : undefined
}

function saysLimited(headers: HttpAnswer['headers']): boolean {
  return headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0'
}

/** A limit refuses a request before it is done, so every request can be sent again. */
function limitWait(headers: HttpAnswer['headers'], { failures, now }: { failures: number; now: number }): number {
  const after = Number(headers['retry-after'])
  if (Number.isFinite(after)) return Math.max(1, after) * 1000
  const reset = Number(headers['x-ratelimit-reset']) * 1000
  if (headers['x-ratelimit-remaining'] === '0' && Number.isFinite(reset)) return Math.max(1000, reset - now + 1000)
  return SECONDARY_LIMIT_WAIT_MS * 2 ** (failures - 1)
}

/** Finds out what the user's `gh` can do. Only versions and permissions are taken from its output. */
export type GhInspection = {
  /** Undefined if gh does not print one. */
  version: Version | undefined
  /** Undefined if this was not checked. */
  isLoggedIn: boolean | undefined
  /** Undefined if this was not checked, because there is no login or no repository. */
  rights: GhRights | undefined
}

export type GhRights = { repository: string; allows: { read: boolean; triage: boolean; write: boolean } | undefined }

type Question = {
  /** Finds the repository to ask about, if there is one. */
  findOrigin: () => Promise<OriginRepository | undefined>
  /** Make no network requests. */
  isOffline: boolean
  signal: AbortSignal
}

const CALL_MS = 5_000
const OUTPUT_LIMIT_BYTES = 64 * 1024

/** Undefined when gh is not installed. */
export async function inspectGh(
  gh: Gh,
  { findOrigin, isOffline, signal }: Question,
): Promise<GhInspection | undefined> {
  const { program } = gh
  if (program === undefined) return undefined
  const ask = (...args: string[]) => call({ ...gh, program }, { args, signal })
  const [said, login] = await Promise.all([
    ask('--version'),
    isOffline ? undefined : ask('auth', 'status', '--hostname', 'github.com'),
  ])
  const isLoggedIn = isOffline ? undefined : login !== undefined
  const origin = isLoggedIn ? await findOrigin() : undefined
  return {
    version: said === undefined ? undefined : versionIn(said),
    isLoggedIn,
    rights: origin === undefined ? undefined : await askRights(ask, origin),
  }
}

async function askRights(
  ask: (...args: string[]) => Promise<string | undefined>,
  { owner, repo }: OriginRepository,
): Promise<GhRights> {
  const said = await ask('api', '--hostname', 'github.com', `repos/${owner}/${repo}`, '--jq', '.permissions')
  return { repository: `${owner}/${repo}`, allows: said === undefined ? undefined : readRights(said) }
}

/** Parses `permissions` of GitHub: names with true or false. A higher permission includes the lower ones. */
function readRights(said: string): GhRights['allows'] {
  const rights: unknown = orUndefined(() => JSON.parse(said))
  if (typeof rights !== 'object' || rights === null || Array.isArray(rights)) return undefined
  const entries = new Map<string, unknown>(Object.entries(rights))
  if (entries.size === 0 || [...entries.values()].some((value) => typeof value !== 'boolean')) return undefined
  const has = (...names: string[]) => names.some((name) => entries.get(name) === true)
  const write = has('push', 'maintain', 'admin')
  return { read: has('pull'), triage: has('triage') || write, write }
}

/** `gh version 2.94.0 (2026-01-20)`. A development build has no such version. */
function versionIn(said: string): Version | undefined {
  const field = said.split(/\s+/).find((word) => /^v?\d+\.\d+\.\d+[,;)]*$/.test(word))
  return field === undefined ? undefined : findVersion(field)
}

/** The output of gh; undefined if it fails or takes too long. */
async function call(
  { program, env, cwd }: Gh & { program: string },
  { args, signal }: { args: readonly string[]; signal: AbortSignal },
): Promise<string | undefined> {
  const command = { argv: [program, ...args] as const, cwd, env, timeoutMs: CALL_MS, signal, sweep: 'always' as const }
  const ran = await runProcess(command, { stdoutLimitBytes: OUTPUT_LIMIT_BYTES }).catch(ignoreFault)
  return ran?.exit.code === 0 && ran.exit.ended === 'itself' ? ran.stdout.toString('utf8') : undefined
}
