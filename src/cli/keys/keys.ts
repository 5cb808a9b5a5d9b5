/** `keys create`, `keys list`, `keys rotate` and `keys revoke`. */

import { resolve } from 'node:path'
import type { Config } from '../../config/config.shape.ts'
import {
  addServerKey,
  createKey,
  type NewKey,
  newSecret,
  removeServerKey,
  rotateServerKey,
  type ServerKey,
  type ShownKey,
  toShownKey,
} from '../../config/edit-keys.ts'
import { randomIds } from '../../kit/ids.ts'
import { withoutUndefined } from '../../kit/json-value.ts'
import { isInDirectory, resolveDirectory } from '../../prompts/workdir-policy.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagValueInvalid } from '../faults.ts'
import { printResult } from '../output/print-result.ts'
import { formatTable, tableWidth } from '../output/text-table.ts'
import { wrapOn } from '../output/wrap-words.ts'
import { readSettings } from '../settings.ts'
import { parseAge } from '../words/parse-time.ts'

export const create: RunCommand = async (invocation) => {
  const { config, file } = await readSettings(invocation)
  const { entry, key } = createKey(toNewKey(invocation), { ids: randomIds, now: invocation.runtime.clock.now() })
  await addServerKey({ path: file.path, entry })
  await printResult(invocation, { ...toShownKey(entry), key, file: file.path }, () => `${key}\n`)
  const notes = [
    `stored the digest of the key ${entry.name} in ${file.path}; the key itself is not shown again`,
    ...(config.server.keys.length > 0
      ? ['a running server accepts it within seconds']
      : ['restart any server that was started without keys; it is still open']),
    ...(config.server.rate_limit_enabled ? [] : limitFlags(entry)).map(
      (flag) => `warning: ${flag} has no effect until server.rate_limit_enabled is true`,
    ),
    ...findUnusable(entry, config).map(
      (directory) =>
        `warning: the key cannot work in ${directory}, because server.allowed_workdir_prefixes does not allow it`,
    ),
  ]
  await invocation.runtime.terminal.err.write(notes.map((note) => `drover: ${note}\n`).join(''))
  return 0
}

export const rotate: RunCommand = async (invocation) => {
  const name = invocation.args[0] ?? ''
  const { file } = await readSettings(invocation)
  const { key, sha256 } = newSecret(randomIds)
  await rotateServerKey({ path: file.path, name, sha256 })
  await printResult(invocation, { name, key, file: file.path }, () => `${key}\n`)
  const note = `stored the digest of the new secret of ${name} in ${file.path}; a running server refuses the old one within seconds`
  await invocation.runtime.terminal.err.write(`drover: ${note}\n`)
  return 0
}

function limitFlags({ rate_limit_rps: rps, rate_limit_burst: burst }: ServerKey): string[] {
  return [...(rps === undefined ? [] : ['--rps']), ...(burst === undefined ? [] : ['--burst'])]
}

/** The directories of the key in which neither its prompts nor its runs can work. */
function findUnusable({ directories = [] }: ServerKey, { server, drive }: Config): string[] {
  const { allowed_workdir_prefixes: allowed } = server
  if (allowed.length === 0) return []
  const isIn = (path: string, outer: string) => isInDirectory(resolveDirectory(path) ?? path, outer)
  const places = [...allowed, ...drive.repositories]
  return directories.filter((each) => !places.some((place) => isIn(each, place) || isIn(place, each)))
}

function toNewKey({ args, flags, runtime }: Invocation): NewKey {
  const budgets = flags.texts('budget')
  const backends = flags.texts('backend')
  const directories = flags.texts('directory').map((directory) => resolve(runtime.cwd, directory))
  const expires = expiryIn(flags.text('expires'), runtime.clock.now())
  // The parser allows only the values of the shape.
  return {
    name: args[0] ?? '',
    ...withoutUndefined({
      role: flags.text('role'),
      rate_limit_rps: flags.integer('rps'),
      rate_limit_burst: flags.integer('burst'),
      max_approval_mode: flags.text('max-approval'),
      max_sandbox_mode: flags.text('max-sandbox'),
    }),
    ...(directories.length > 0 && { directories }),
    ...(backends.length > 0 && { backends }),
    ...(flags.isOn('may-merge') && { may_merge: true }),
    ...(flags.isOn('require-sandbox') && { requires_sandbox: true }),
    ...(budgets.length > 0 && { budgets }),
    ...(expires !== undefined && { expires_at: expires }),
  } as NewKey
}

function expiryIn(given: string | undefined, now: Date): string | undefined {
  if (given === undefined) return undefined
  const age = parseAge(given)
  if (age === undefined || age === 0)
    throw flagValueInvalid({ flag: '--expires', given, allowed: 'a time such as 12h, 30d or 8w' })
  return `${new Date(now.getTime() + age).toISOString().slice(0, 19)}Z`
}

export const list: RunCommand = async (invocation) => {
  const { config, file } = await readSettings(invocation)
  const keys = config.server.keys.map(toShownKey)
  return await printResult(invocation, { file: file.path, keys }, (out) =>
    keys.length === 0
      ? wrapOn(out, `${file.path} has no keys; "drover keys create NAME" adds one\n`)
      : `${formatTable(toRows(keys), tableWidth(out)).join('\n')}\n`,
  )
}

/** The last columns are shown if a key has something in them. */
function toRows(keys: readonly ShownKey[]): string[][] {
  const more = OPTIONAL_COLUMNS.filter(([, valueIn]) => keys.some((key) => valueIn(key) !== undefined))
  const rows = keys.map((key) => [
    key.name,
    key.role,
    key.rate_limit_rps?.toString() ?? '-',
    key.rate_limit_burst?.toString() ?? '-',
    key.max_approval_mode ?? '-',
    key.max_sandbox_mode ?? '-',
    key.requires_sandbox === true ? 'required' : '-',
    ...more.map(([, valueIn]) => valueIn(key) ?? '-'),
  ])
  const titles = ['NAME', 'ROLE', 'RPS', 'BURST', 'MAX APPROVAL', 'MAX SANDBOX', 'SANDBOX']
  return [[...titles, ...more.map(([title]) => title)], ...rows]
}

const OPTIONAL_COLUMNS: readonly (readonly [title: string, valueIn: (key: ShownKey) => string | undefined])[] = [
  ['DIRECTORIES', (key) => key.directories?.join(', ')],
  ['BACKENDS', (key) => key.backends?.join(', ')],
  ['MERGE', (key) => (key.may_merge === true ? 'may' : undefined)],
  ['BUDGETS', (key) => key.budgets?.join(', ')],
  ['EXPIRES', (key) => key.expires_at],
]

export const revoke: RunCommand = async (invocation) => {
  const name = invocation.args[0] ?? ''
  const { file } = await readSettings(invocation)
  const { left } = await removeServerKey({ path: file.path, name })
  const text = `removed the key ${name} from ${file.path}; a running server refuses it within seconds\n`
  await printResult(invocation, { name, file: file.path, keys_left: left }, (out) => wrapOn(out, text))
  if (left === 0) {
    const warning =
      'the file has no keys any more: a server that starts now requires a key only if it has another source'
    await invocation.runtime.terminal.err.write(`drover: warning: ${warning}\n`)
  }
  return 0
}
