/*
 * Runs the user's `gh`, the only way in which drover talks to GitHub. gh has the credentials; drover never sees them. Of an
 * error of gh at most one line is shown, without anything that could be a token.
 */
import type { JsonValue } from '../kit/json/json-value.ts'
import { writeJson } from '../kit/json/write-json.ts'
import { type ChildEnvironment, toChildEnvironment } from '../kit/process/child-environment.ts'
import { findProgram, type SearchPlaces } from '../kit/process/find-program.ts'
import { runProcess } from '../kit/process/process.ts'
import { redactSecrets } from '../kit/redact.ts'
import { ghFailed, ghInterrupted, ghMissing, ghTimeout } from './faults.ts'

/** Enough for any answer that fits into an envelope: 16 comments of the largest size, with every character escaped. */
export const ANSWER_LIMIT_BYTES = 32 * 1024 * 1024
const FETCH_TIMEOUT_MS = 60_000
const LINE_LIMIT = 300

export type Gh = {
  /** Undefined when it is not installed. */
  program: string | undefined
  env: ChildEnvironment
  cwd: string
  /** For all requests about one issue together. */
  timeoutMs: number
}

/** A GraphQL query with its variables, or the path of a GET request. */
export type GhRequest = { query: string; variables: JsonValue } | { path: string }

export type GhAnswer = { exitCode: number; stdout: Buffer; stderr: string }

export function locateGh(places: SearchPlaces): Gh {
  const { env, cwd } = places
  return { program: findProgram('gh', places), env: toGhEnvironment(env), cwd, timeoutMs: FETCH_TIMEOUT_MS }
}

type Limits = { timeoutMs: number; signal: AbortSignal }

/** A non-zero exit code is an answer too. Throws if gh is missing, too slow, interrupted or killed. */
export async function askGh(gh: Gh, request: GhRequest, limits: Limits): Promise<GhAnswer> {
  const api = ['api', '--hostname', 'github.com']
  if ('path' in request) return await runGh(gh, { args: [...api, request.path, '--method', 'GET'] }, limits)
  const stdin = writeJson({ query: request.query, variables: request.variables })
  return await runGh(gh, { args: [...api, 'graphql', '--input', '-'], stdin }, limits)
}

/** The same for any command of gh. */
export async function runGh(
  gh: Gh,
  { args, stdin }: { args: readonly string[]; stdin?: string },
  { timeoutMs, signal }: Limits,
): Promise<GhAnswer> {
  const { program, env, cwd } = gh
  if (program === undefined) throw ghMissing({})
  const { exit, stdout } = await runProcess(
    {
      argv: [program, ...args],
      cwd,
      env,
      ...(stdin !== undefined && { stdin }),
      timeoutMs,
      signal,
      sweep: 'always',
    },
    { stdoutLimitBytes: ANSWER_LIMIT_BYTES },
  )
  if (exit.ended === 'timeout') throw ghTimeout({ timeoutMs: gh.timeoutMs })
  if (exit.ended === 'cancelled') throw ghInterrupted({})
  if (exit.code === null) throw ghFailed({ problem: `it was killed by ${exit.signal}` })
  return { exitCode: exit.code, stdout, stderr: exit.stderrTail }
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

/** The caller's environment with its tokens for gh, but without secrets of drover. */
function toGhEnvironment(env: SearchPlaces['env']): ChildEnvironment {
  // On Windows names are case-insensitive.
  const inherited = Object.entries(env).filter(([name]) => !DROPPED.includes(name.toUpperCase()))
  return { ...toChildEnvironment(Object.fromEntries(inherited)), ...FIXED }
}
