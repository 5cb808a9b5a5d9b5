/** What a reset did or would do, for people. Pure. */
import { toMessage } from '../output/printable.ts'
import type { ResetLeftovers } from './find-leftovers.ts'

export type ResetReport = ResetLeftovers & {
  dry_run: boolean
  server: { pid: number; is_background: boolean } | null
  removed: { name: string; branch?: string }[]
  kept: { name: string; path: string; reason: string; command: string }[]
}

export function formatReset(report: ResetReport): string {
  const { kept, branches, journals, hosts, data, program } = report
  const staying = [
    ...kept.map(({ name, path, reason, command }) => entry(`worktree ${name}: ${reason} (${path})`, command)),
    ...branches.map(({ repository, branch, command }) => entry(`branch ${branch} of ${repository}`, command)),
    ...journals.map(({ path, runs, command }) => entry(`journals of ${count(runs, 'run')} in ${path}`, command)),
    ...hosts.map(({ repository, hosts, command }) =>
      entry(`capabilities in ${repository} (${hosts.join(', ')})`, command),
    ),
    entry(`sessions and settings in ${data.path}${kept.length > 0 ? ', with the worktrees above' : ''}`, data.command),
    entry('the program', program.command),
  ]
  return `${[...doneLines(report), 'What stays, and what removes it:', ...staying.flat()].join('\n')}\n`
}

function doneLines({ dry_run: isDryRun, server, removed }: ResetReport): string[] {
  const would = (done: string, planned: string) => (isDryRun ? `Would ${planned}` : done)
  const lines = removed.map(({ name, branch }) =>
    toMessage(
      `${would('Removed', 'remove')} the worktree ${name}${branch === undefined ? '' : `; its work is on ${branch}`}.`,
    ),
  )
  return [serverLine(server, would), ...lines].filter((line) => line !== undefined)
}

function serverLine(
  server: ResetReport['server'],
  would: (done: string, planned: string) => string,
): string | undefined {
  if (server === null) return 'No server runs.'
  if (server.is_background) return `${would('Stopped', 'stop')} the server in the background (process ${server.pid}).`
  return `A "drover serve" runs (process ${server.pid}); stop it where it was started.`
}

function entry(what: string, command: string): string[] {
  return [`  ${toMessage(what)}`, `    ${toMessage(command)}`]
}

function count(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? '' : 's'}`
}
