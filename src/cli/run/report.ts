import { resolve } from 'node:path'
import { formatNight } from '../../drive/night/night-markdown.ts'
import type { NightReport } from '../../drive/night/night-report.shape.ts'
import { readNight } from '../../drive/night/read-night.ts'
import { readVerdict } from '../../drive/read-verdict.ts'
import { readDrive } from '../../drive/record/drive-journal.ts'
import { reportRun } from '../../drive/report-run.ts'
import { createFile } from '../../kit/files/write-file.ts'
import { encodeUtf8 } from '../../kit/utf8.ts'
import type { RunOutline } from '../../runs/read-status.ts'
import { formatReport } from '../../runs/report-markdown.ts'
import { resolveRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { asOwner } from '../../runs/run-worktree.ts'
import { findNewestRun } from '../../runs/waiting-run.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict, flagValueInvalid } from '../faults.ts'
import { timesFor, verdictIn } from '../output/format-amounts.ts'
import { MarkdownStream } from '../output/markdown-stream.ts'
import { toPrintable } from '../output/printable.ts'
import { wrapWords } from '../output/wrap-words.ts'
import { offer, type WorkspaceRef } from '../remedies.ts'
import { findUserPaths } from '../settings.ts'
import type { Channel } from '../terminal.ts'
import { parseTime } from '../words/parse-time.ts'
import { type WorkspaceCommand, withWorkspace } from '../workspace-command.ts'
import { openRuns } from './open-runs.ts'
import { openNamed } from './person-run.ts'
import { readRunId } from './read-flags.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const { args, flags, runtime } = invocation
    const { out } = runtime.terminal
    const typed = args[0] === undefined ? undefined : await readRunId(command, args[0], 'list-runs')
    const context = await openRuns(command, runtime)
    const since = readSince(flags.text('since'), typed, runtime.clock.now())
    if (since !== undefined) {
      const directory = context.workspace.worktree_root
      const { drivenRuns: records } = findUserPaths(invocation)
      return await writeNight(invocation, await readNight(context, { since, directory, records }))
    }
    const shown = await findReported(command, context, typed)
    const state = readDrive(context.store, shown.id)
    const driven = state && { state, verdict: await readVerdict(context, { run: shown, drive: state }) }
    const report = await reportRun(context, shown, driven)
    const form = out.isTty && flags.text('output') === undefined ? 'lists' : 'tables'
    const times =
      form === 'lists'
        ? timesFor(out, () => runtime.clock.now())
        : timesFor({ isTty: false }, () => runtime.clock.now())
    const { verdict } = report
    const timed = { ...report, ...(verdict !== undefined && { verdict: verdictIn(verdict, times) }) }
    return await write(invocation, flags.isOn('json') ? report : formatReport(timed, shown, form))
  })

async function writeNight(invocation: Invocation, night: NightReport): Promise<number> {
  const { flags, runtime } = invocation
  const isShown = runtime.terminal.out.isTty && flags.text('output') === undefined
  const times = timesFor({ isTty: isShown }, () => runtime.clock.now())
  const runs = night.runs.map((each) => ({ ...each, verdict: verdictIn(each.verdict, times) }))
  const text = () => formatNight({ ...night, since: times(night.since), runs }, isShown ? 'terminal' : 'page')
  return await write(invocation, flags.isOn('json') ? night : text())
}

/** JSON, or Markdown: into a file, rendered on a terminal, or as it is. */
async function write({ flags, runtime }: Invocation, report: object | string): Promise<number> {
  const { out } = runtime.terminal
  const text = typeof report === 'string' ? report : `${JSON.stringify(report)}\n`
  const file = flags.text('output')
  if (file !== undefined) {
    createFile({ path: resolve(runtime.cwd, file), bytes: encodeUtf8(text), mode: 0o644 })
    await out.write(`Wrote ${file}.\n`)
  } else await out.write(out.isTty && typeof report === 'string' ? render(text, out) : text)
  return 0
}

function readSince(text: string | undefined, typed: string | undefined, now: Date): string | undefined {
  if (text === undefined) return undefined
  if (typed !== undefined) throw flagsConflict({ flags: ['RUN_ID', '--since'] })
  const since = parseTime(text, now)
  if (since === undefined)
    throw flagValueInvalid({ flag: '--since', given: text, allowed: 'a time such as 12h, yesterday or 2026-01-31' })
  return since
}

/** Without an id, the newest run. */
async function findReported(
  command: WorkspaceCommand,
  context: RunContext,
  typed: string | undefined,
): Promise<RunOutline> {
  if (typed !== undefined) {
    const runId = resolveRunId(context, typed)
    const isDriven = readDrive(context.store, runId) !== undefined
    return (await openNamed(command, isDriven ? asOwner(context, runId) : context, typed)).run
  }
  const list = { next: (workspace: WorkspaceRef) => offer('list-runs', workspace) }
  return (await command.suggesting(list, () => findNewestRun(context))).run
}

function render(markdown: string, { style, columns }: Pick<Channel, 'style' | 'columns'>): string {
  const stream = new MarkdownStream(style)
  const lines = toPrintable(markdown).split('\n')
  return stream.write(lines.flatMap((line) => wrapMarkdown(line, columns)).join('\n')) + stream.end()
}

/** Further lines of a quotation are quoted, and those of an entry of a list are indented. */
function wrapMarkdown(line: string, columns: number): string[] {
  const [, marks = '', text = ''] = /^((?: *> ?)?(?: *- )?)(.*)$/.exec(line) ?? []
  const [first = '', ...rest] = wrapWords(text, Math.max(20, columns - marks.length))
  return [marks + first, ...rest.map((each) => marks.replace('-', ' ') + each)]
}
