/** Generates docs/config.md: fills the tables into the text in config-docs.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { AcpSection } from '../src/config/backend.shape.ts'
import { ConfigShape } from '../src/config/config.shape.ts'
import { OTHER_VARIABLES } from '../src/config/read-config.ts'
import { UNSUPPORTED_KEYS } from '../src/config/resolve-key.ts'
import { type KeyRow, listAcpKeys, listFields, listKeys } from './config-keys.ts'
import { markdownTable } from './markdown-table.ts'

export function configDocs(): string {
  const text = readFileSync(join(import.meta.dirname, 'config-docs.md'), 'utf8')
  const tables = configTables(listKeys(ConfigShape))
  return text.replace(/\{\{(\w+)\}\}/g, (marker, name: string) => {
    const table = tables[name]
    if (table === undefined) throw new Error(`config-docs.md contains ${marker}, but there is no such table`)
    return table
  })
}

function configTables(keys: readonly KeyRow[]): Record<string, string> {
  const sectionOf = ({ path }: KeyRow) => path.slice(0, Math.max(path.indexOf('.'), 0))
  const plain = [
    '',
    'unified_flags',
    'agents',
    'session',
    'executions',
    'output',
    'parallel',
    'drive',
    'sandbox',
    'server',
    'warm',
    'store',
    'work',
    'telemetry',
    'notify',
  ]
  const sections = plain.map((name) => [name || 'general', keyTable(keys.filter((key) => sectionOf(key) === name))])
  return {
    ...Object.fromEntries(sections),
    backends: keyTable(mergeBackends(keys.filter((key) => sectionOf(key) === 'backends'))),
    acp: keyTable(
      listAcpKeys(AcpSection).map((key) => ({
        ...key,
        path: key.path.replace('backends.NAME.', ''),
        variables: key.variables.map((variable) => variable.replace('_NAME_', '_<NAME>_')),
      })),
    ),
    at_once: pathsThatApply(keys, 'at_once'),
    command_line: pathsThatApply(keys, 'command_line'),
    model_aliases: aliasTable(keys),
    server_keys: fieldTable(ConfigShape.properties.server.properties.keys.items),
    notify_targets: fieldTable(ConfigShape.properties.notify.properties.targets.items),
    drive_watch: fieldTable(ConfigShape.properties.drive.properties.watch.items),
    variables: markdownTable(
      ['Variable', 'Meaning'],
      OTHER_VARIABLES.map(({ name, meaning }) => [code(name), meaning]),
    ),
    unsupported: markdownTable(
      ['Key', 'Why'],
      UNSUPPORTED_KEYS.map(({ path, reason }) => [code(path), `${reason[0]?.toUpperCase()}${reason.slice(1)}.`]),
    ),
  }
}

function pathsThatApply(keys: readonly KeyRow[], moment: KeyRow['applies']): string {
  return keys
    .filter(({ applies }) => applies === moment)
    .map(({ path }) => code(path))
    .join(', ')
}

/** The fields of the entries of a list. */
function fieldTable(entry: TSchema): string {
  const rows = listFields(entry).map(({ name, type, rule, description }) => [
    code(name),
    type,
    rule || '–',
    description,
  ])
  return markdownTable(['Field', 'Type', 'Allowed', 'Meaning'], rows)
}

function keyTable(keys: readonly DocumentedKey[]): string {
  const rows = keys.map((key) => [
    code(key.path),
    key.type,
    key.shownDefault ?? showDefault(key.default),
    key.variables.map(code).join(', ') || '–',
    key.rule || '–',
    key.description,
  ])
  return markdownTable(['Key', 'Type', 'Default', 'Variable', 'Allowed', 'Meaning'], rows)
}

type DocumentedKey = KeyRow & { shownDefault?: string }

/** All backends have the same keys. Only two defaults differ: the program, and the aliases, which have their own table. */
function mergeBackends(keys: readonly KeyRow[]): DocumentedKey[] {
  const nameless = (text: string) => text.replace('.claude.', '.<name>.').replace('_CLAUDE_', '_<NAME>_')
  return keys
    .filter(({ path }) => path.startsWith('backends.claude.'))
    .map((key) => ({
      ...key,
      path: nameless(key.path),
      variables: key.variables.map(nameless),
      ...(key.path.endsWith('.command') && { shownDefault: code('<name>') }),
      ...(key.type === 'map' && { shownDefault: 'see below' }),
    }))
}

function aliasTable(keys: readonly KeyRow[]): string {
  const maps = keys.filter(({ type }) => type === 'map')
  const aliases = maps.map((key) => key.default as Record<string, string>)
  const rows = Object.keys(aliases[0] ?? {}).map((alias) => [
    code(alias),
    ...aliases.map((models) => code(models[alias] ?? '')),
  ])
  return markdownTable(['Alias', ...maps.map(({ path }) => path.split('.')[1] ?? '')], rows)
}

function showDefault(value: unknown): string {
  if (value === '' || (Array.isArray(value) && value.length === 0)) return 'empty'
  if (Array.isArray(value)) return value.map((item) => code(String(item))).join(', ')
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return 'empty'
  return code(String(value))
}

function code(text: string): string {
  return `\`${text}\``
}
