/**
 * Decides what the programs that drover starts see of its environment. `process.ts` takes no environment from elsewhere, so
 * that none of them gets a secret of drover, of its store or of its telemetry.
 */
import { createRequire } from 'node:module'
import { orUndefined } from '../fault.ts'
import { isSecretName, redactSecrets } from '../redact.ts'
import { addressesOf } from '../store-address.ts'
import { DEPTH_VARIABLE, OWNER_VARIABLE, RUN_VARIABLE, TREE_VARIABLE } from './environment-variables.ts'

declare const isFiltered: unique symbol

/** Environment may be added to it: what drover sets on purpose is no accident. */
export type ChildEnvironment = Readonly<Record<string, string>> & { readonly [isFiltered]: true }

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** No secrets; a program that calls drover must find the same home and config, and one in a worktree its ports. */
const KEPT: readonly string[] = [
  ...[TREE_VARIABLE, OWNER_VARIABLE, DEPTH_VARIABLE, RUN_VARIABLE, 'DROVER_HOME', 'DROVER_CONFIG'],
  ...['DROVER_WORKTREE', 'DROVER_BRANCH', 'DROVER_PORT'],
]
/** Settings of drover and of libpq, and headers of OpenTelemetry, which hold tokens. */
const HIDDEN = /^(?:DROVER_|PG|OTEL_\w*HEADERS$)/i
/** A shorter text may be a common word, such as a part of a path. */
const LONG = 12

/** Texts of the stores whose addresses this process knows. */
const knownTexts = new Set<string>()

/** From now on, no program sees a variable with this address or its password. */
export function keepFromChildren(storeUrl: string): void {
  for (const text of secretTexts(storeUrl)) knownTexts.add(text)
}

/** The environment of a program that drover starts. */
export function toChildEnvironment(env: Environment): ChildEnvironment {
  const isHidden = hiddenIn(env)
  const kept: Record<string, string> = {}
  for (const name in env) {
    const value = env[name]
    if (value !== undefined && !isHidden({ name, value })) kept[name] = value
  }
  return kept as ChildEnvironment
}

/** Which variables of an environment no program may see. */
export function hiddenIn(env: Environment): (variable: Variable) => boolean {
  const { DROVER_STORE_URL: url = '', PGPASSWORD: password = '' } = env
  const texts = [...knownTexts, ...secretTexts(url), ...(password === '' ? [] : [password])]
  return (variable) => !isForChildren(variable, texts)
}

/** The whole environment, for a drover that this one starts in its place. */
export function toOwnEnvironment(env: Environment): ChildEnvironment {
  const given = Object.entries(env).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as ChildEnvironment
}

type Variable = { name: string; value: string }

/** Whether a program may see a variable. `texts` are secrets that may be part of a value. */
export function isForChildren({ name, value }: Variable, texts: readonly string[]): boolean {
  if (KEPT.includes(name)) return true
  if (HIDDEN.test(name)) return false
  if (/^OTEL_/i.test(name) && redactSecrets(value) !== value) return false
  return !texts.some((text) => {
    if (value.includes(`:${text}@`)) return true
    return (text.length >= LONG || isSecretName(name)) && value.includes(text)
  })
}

/** The address of a PostgreSQL store, and its password as it is written there and as it is. */
export function secretTexts(storeUrl: string): string[] {
  if (storeUrl === '' || storeUrl.startsWith('sqlite:')) return []
  const [address] = addressesOf(storeUrl)
  if (!URL.canParse(address)) return []
  const { password, searchParams } = new URL(address)
  const passwords = [password, decode(password), searchParams.get('password') ?? '']
  return [storeUrl, ...new Set(passwords)].filter((text) => text !== '')
}

export function hasPassword(storeUrl: string): boolean {
  return secretTexts(storeUrl).length > 1
}

function decode(text: string): string {
  return orUndefined(() => decodeURIComponent(text)) ?? text
}

type HideVariables = (isHidden: ReturnType<typeof hiddenIn>) => string[]

/**
 * Keeps agents from reading secrets of drover in the environment of its process. Hides what no program that drover starts
 * may see. `program` is bin/hide-variables.cjs. Returns the names of variables that other programs of this user can still
 * read.
 */
export function hideVariables(env: Environment, program: string): readonly string[] {
  const isHidden = hiddenIn(env)
  if (!Object.entries(env).some(([name, value]) => value !== undefined && isHidden({ name, value }))) return []
  const hiding: { hideVariables: HideVariables } = createRequire(import.meta.url)(program)
  return hiding.hideVariables(isHidden)
}
