import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { backendNames, locateAgents } from '../../agents/locate-agents.ts'
import { CONTRACT_VERSION } from '../../contract/limits.ts'
import { checkDoctorReport } from '../../contract/reports.ts'
import { ignoreFault } from '../../kit/fault.ts'
import { writeJson } from '../../kit/json/write-json.ts'
import { quoteWord } from '../../kit/shell-words.ts'
import { USER } from '../../prompts/caller.ts'
import { backendNotFound } from '../../prompts/faults.ts'
import { discoverWorkspace } from '../../workspace/discover-workspace.ts'
import { locateGit } from '../../workspace/git.ts'
import { announcePrompts } from '../backends/backends-command.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagMissing } from '../faults.ts'
import { exitCodeOfSignal, listenForInterruption } from '../interruption.ts'
import { openDrover } from '../open/open-drover.ts'
import { padToColumns, toPrintable } from '../output/printable.ts'
import { type TextLayout, tableWidth } from '../output/text-table.ts'
import { wrapWords } from '../output/wrap-words.ts'
import { readSettings, toConfigEnvironment } from '../settings.ts'
import { runChecks } from './all-checks.ts'
import type { CheckOptions } from './checks/doctor-check.ts'
import { FINDING_GROUPS, type Finding, toDoctorCheck } from './checks/finding.ts'
import { clearInterruptedInstalls } from './checks/interrupted-installs.ts'

/** Problems are the result of this command, not failures of it, unless `--strict` is given. */
export const run: RunCommand = async (invocation) => {
  const { flags, runtime } = invocation
  const { signal, by } = listenForInterruption()
  await using trial = await openTrial(invocation, signal)
  if (flags.isOn('clear-interrupted')) await clearInterrupted(invocation, signal)
  const findings = await runChecks({
    runtime,
    configEnvironment: toConfigEnvironment(invocation),
    root: flags.text('root') || undefined,
    isOffline: flags.isOn('offline'),
    tryAgent: trial?.tryAgent,
    signal,
  })
  const interruption = by()
  if (interruption !== undefined) return exitCodeOfSignal(interruption)
  const { out } = runtime.terminal
  await out.write(flags.isOn('json') ? toJsonLine(findings) : formatReport(findings, out))
  return flags.isOn('strict') && findings.some(({ kind }) => kind.status === 'error') ? 3 : 0
}

/** Long enough for a slow start and a short answer. */
const TRY_SECS = 60

type Trial = AsyncDisposable & Required<Pick<CheckOptions, 'tryAgent'>>

/** With `--try`: what tries an agent, if it is one of those that are named. Undefined without a usable configuration, which a check reports. */
async function openTrial(invocation: Invocation, signal: AbortSignal): Promise<Trial | undefined> {
  const { flags, args, runtime } = invocation
  if (!flags.isOn('try')) {
    if (args.length > 0) {
      const example = `drover doctor --try ${args.map(quoteWord).join(' ')}`
      throw flagMissing({ flag: '--try', what: 'naming agents', example })
    }
    return undefined
  }
  const read = await readSettings(invocation).catch(ignoreFault)
  if (read === undefined) return undefined
  const { config } = read
  const known = backendNames(config.backends)
  const unknown = args.find((name) => !known.includes(name))
  if (unknown !== undefined) throw backendNotFound({ backend: unknown, known })
  const isNamed = (backend: string) => args.length === 0 || args.includes(backend)
  const installed = locateAgents({ ...runtime, backends: config.backends }).filter(
    ({ backend, isEnabled, program }) => isNamed(backend) && isEnabled && program !== undefined,
  )
  const names = installed.map(({ backend }) => backend)
  await announcePrompts(invocation, names)
  // A home directory, for example, cannot be worked in.
  const sandboxed = realpathSync.native(mkdtempSync(join(tmpdir(), 'drover-try-')))
  const drover = openDrover(invocation, { config, atOnce: names.length })
  return {
    tryAgent: async (backend, { isInside }) =>
      names.includes(backend)
        ? await drover.backends.test(USER, backend, { signal, timeoutSecs: TRY_SECS, ...(isInside && { sandboxed }) })
        : undefined,
    [Symbol.asyncDispose]: async () => {
      await drover[Symbol.asyncDispose]()
      rmSync(sandboxed, { recursive: true, force: true })
    },
  }
}

/** Prints to stderr: only the report goes to stdout. */
async function clearInterrupted({ flags, runtime }: Invocation, signal: AbortSignal): Promise<void> {
  const start = resolve(runtime.cwd, flags.text('root') ?? '')
  const workspace = await discoverWorkspace({ start, git: locateGit(runtime), signal })
  await clearInterruptedInstalls({
    workspace,
    signal,
    print: (line) => runtime.terminal.err.write(`drover: ${toPrintable(line)}\n`),
  })
}

function toJsonLine(findings: readonly Finding[]): string {
  const report = { contract_version: CONTRACT_VERSION, checks: findings.map(toDoctorCheck) }
  return `${writeJson(checkDoctorReport(report))}\n`
}

const STATUS_LABELS = {
  ok: { word: 'ok', style: 'green' },
  warning: { word: 'warning', style: 'yellow' },
  error: { word: 'error', style: 'red' },
} as const

const INDENT = '  '
const LABEL_COLUMNS = 'warning'.length
const MIN_COLUMNS = 20

/** The report of doctor as text for people. */
export function formatReport(findings: readonly Finding[], layout: TextLayout): string {
  const groups = FINDING_GROUPS.map((group) => ({ group, found: findings.filter(({ kind }) => kind.group === group) }))
  const sections = groups
    .filter(({ found }) => found.length > 0)
    .map(({ group, found }) => [
      layout.style('bold', group),
      ...mergeHosts(found).flatMap((each) => formatEntry(each, layout)),
    ])
  return `${[...sections.map((lines) => lines.join('\n')), formatSummary(findings)].join('\n\n')}\n`
}

type Entry = Omit<Finding, 'host'> & { hosts: readonly string[] }

/** Hosts with the same ok finding share one line. */
function mergeHosts(findings: readonly Finding[]): Entry[] {
  const entries = new Map<string, Entry>()
  for (const [index, { host, ...finding }] of findings.entries()) {
    const { kind, detail } = finding
    const isMergeable = host !== undefined && kind.status === 'ok'
    const key = isMergeable ? `${kind.code} ${detail}` : String(index)
    const hosts = host === undefined ? [] : [host]
    entries.set(key, { ...finding, hosts: [...(entries.get(key)?.hosts ?? []), ...hosts] })
  }
  return [...entries.values()]
}

function formatEntry({ kind, hosts, detail, todo }: Entry, layout: TextLayout): string[] {
  const { word, style } = STATUS_LABELS[kind.status]
  const subject = hosts.length === 0 ? '' : `${hosts.join(', ')}: `
  const margin = INDENT.length + LABEL_COLUMNS + 1
  const width = Math.max(MIN_COLUMNS, tableWidth(layout) - margin)
  const code = kind.status === 'ok' ? '' : ` (${kind.code})`
  const [first = '', ...rest] = wrapWords(toPrintable(`${subject}${detail}${code}`).replace(/\s+/g, ' '), width, {
    keepsPaths: true,
  })
  const todoLines = todo === undefined ? [] : wrapWords(toPrintable(`→ ${todo}`), width, { keepsPaths: true })
  const label = layout.style(style, padToColumns(word, LABEL_COLUMNS))
  return [`${INDENT}${label} ${first}`, ...[...rest, ...todoLines].map((line) => ' '.repeat(margin) + line)]
}

function formatSummary(findings: readonly Finding[]): string {
  const number = (status: 'warning' | 'error') => findings.filter(({ kind }) => kind.status === status).length
  const [errors, warnings] = [number('error'), number('warning')]
  if (errors + warnings === 0) return 'Everything is in order.'
  return `${count(errors, 'error')}, ${count(warnings, 'warning')}.`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
