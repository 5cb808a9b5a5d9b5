/**
 * The report about a run in Markdown: for `drover report` and for the text of a pull request. Texts of agents and issues are
 * quoted, so that they cannot look like a part of the report, and refer to no people and issues. Pure.
 */
import { titleOfGoal } from '../contract/goal-title.ts'
import { withInertIssues, withInertMarkdown, withoutInertMarks } from '../kit/foreign-text.ts'
import { toRevealed } from '../kit/printable-text.ts'
import { toLocalMinute, withUtcTimes } from '../kit/wording.ts'
import { pendingQuestion, type RunOutline } from './read-status.ts'
import { notedIn, reportedIn } from './reported-and-noted.ts'
import type { ReportChange, RunReport } from './run-report.ts'

/** `lists` have no tables, for a terminal. */
type Form = 'tables' | 'lists'
type Minute = (time: string) => string

/** The summary of the run repeats the other sections for programs, so it is not a section. */
export function formatReport(report: RunReport, run: RunOutline, form: Form = 'tables'): string {
  const rows = form === 'tables' ? table : list
  const minute = form === 'tables' ? toUtcMinute : toLocalMinute
  const { decisions, messages = [], acts = [] } = report
  const said = [
    ...decisions.map((each) => decisionText(each, minute)),
    ...messages.map((each) => messageText(each, minute)),
  ]
  const sections = [
    ['Goal', goalText(report)],
    ['Decisions', said.join('\n\n')],
    ['After the delivery', listText(acts.map(({ at, text }) => `${minute(at)}: ${cell(withUtcTimes(text))}`))],
    ['Requirements after the delivery', requirementText(report, rows)],
    ['What changed', changeText(report, rows)],
    ['Evidence', evidenceText(report, rows)],
    ['Checks', checkText(report, rows)],
    ['Boundary', boundaryText(report, rows)],
    ['MCP servers of the agents', listText(report.mcp_servers ?? [])],
    ['Review', reviewText(report)],
    ['What the agents reported', reportedText(run)],
    ['Notes of drover', listText(notedIn(run))],
    ['Cost', costText(report)],
  ].filter(([, text]) => text !== '')
  const body = sections.map(([title, text]) => `## ${title}\n\n${text}`)
  const text = `${[titleText(report), ...verdictText(report, pendingQuestion(run)), stateText(report, minute), ...body, `---\n\n${report.note}`].join('\n\n')}\n`
  return form === 'lists' ? withoutInertMarks(text) : text
}

/** A whole goal in one line would be a heading of a page. The section about the goal has all of it. */
const MAX_TITLE = 120

function titleText({ goal, run_id: id }: RunReport): string {
  const title = titleOfGoal(goal)
  const shown = title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE).trimEnd()}…` : title
  return `# ${cell(shown) || `Run ${id}`}`
}

/** The verdict in one line, then what to look at first. */
function verdictText({ verdict }: RunReport, question = ''): string[] {
  if (verdict === undefined) return []
  const { word, look_first: lookFirst, next } = verdict
  const line = withUtcTimes(verdict.line)
  const isLong = lookFirst.length === 0 && question.trim().includes('\n')
  const reason = word === 'delivered, look first' || isLong ? '' : cell(line.slice(word.length))
  const separator = reason.startsWith(':') || reason === '' ? '' : ' '
  return [
    `**${word}**${separator}${reason}`,
    ...(isLong ? [quote(question)] : []),
    ...(lookFirst.length === 0 ? [] : [listText(lookFirst.map(withUtcTimes))]),
    // It is this page.
    ...(next.startsWith('drover report ') ? [] : [`Next: ${code(next)}`]),
  ]
}

function stateText(report: RunReport, minute: Minute): string {
  const { run_id, state, pause_reason, branch, folder, pull_request, verdict, moved } = report
  const reason = pause_reason === undefined ? '' : ` (${pause_reason.replaceAll('_', ' ')})`
  const where = branch === undefined ? '' : ` Branch: ${code(branch)}.`
  const below = folder === undefined ? '' : ` Folder: ${code(folder)}.`
  const onto =
    moved === undefined
      ? ''
      : ` Continued on ${cell(moved.to)}, ${minute(moved.at)}: no worker was left on ${cell(moved.from)}.`
  const request = pull_request === undefined ? '' : ` ${requestText(report)}: ${pull_request}`
  const shown = verdict === undefined ? `State: **${state}**${reason}. ` : ''
  return `${shown}Run ${code(run_id)}, ${timeText(report, minute)}.${where}${below}${onto}${request}`
}

/** From its start to its last change, to the minute. */
function timeText({ started_at: from, updated_at: to }: RunReport, minute: Minute): string {
  const [start, end] = [minute(from), minute(to)]
  if (start === end) return end
  const [startDay, endDay] = [start, end].map((time) => time.slice(0, 'yyyy-mm-dd '.length))
  return `${start.replace(' UTC', '')} to ${startDay === endDay ? end.slice(endDay?.length) : end}`
}

/** A page may be read in another time zone. */
const toUtcMinute: Minute = (time) => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`

function requestText({ pull_request_end: end }: RunReport): string {
  return end === undefined ? 'Draft pull request' : `Pull request, ${cell(end)}`
}

function requirementText({ requirements = [] }: RunReport, rows: Rows): string {
  const cells = requirements.map(({ from, verdict, text }, at) => [
    String(at + 1),
    cell(from),
    `**${verdict}**`,
    cell(text),
  ])
  return cells.length === 0 ? '' : rows(['', 'From', 'Verdict', 'What became of it'], cells)
}

function goalText({ goal, also = [], source, issue, previous_run_id }: RunReport): string {
  const lines = [
    quote(goal),
    ...(also.length === 0 ? [] : ['Asked in addition:', ...also.map((text) => `- ${indent(quote(text)).trimStart()}`)]),
    ...(source === undefined ? [] : [`Issue: ${source.url}, requirements ${code(source.requirements_revision)}`]),
    ...(issue === undefined ? [] : [`Issue: ${issue}`]),
    ...(previous_run_id === undefined
      ? []
      : [`This run works on what run ${previous_run_id} left open. That run has its own report.`]),
  ]
  return lines.join('\n\n')
}

function decisionText(
  { question, targets, answer, confirmed, superseded, at }: RunReport['decisions'][number],
  minute: Minute,
) {
  const said = confirmed ? `Confirmed at ${minute(at)}.` : `Answer, ${minute(at)}${superseded ? ' (superseded)' : ''}:`
  const listed = targets.map(({ kind, value }) => `- ${kind} ${code(value)}`).join('\n')
  return paragraphs([quote(question), listed, said, answer === '' ? '' : quote(answer)])
}

function messageText({ at, by, text }: NonNullable<RunReport['messages']>[number], minute: Minute): string {
  return `Message to the agent, ${minute(at)}, from ${cell(by)}:\n\n${quote(text)}`
}

type Rows = (headings: readonly string[], rows: readonly (readonly string[])[]) => string

function changeText({ changes, reported_files }: RunReport, rows: Rows): string {
  if (changes === undefined) {
    const files = reported_files.map((path) => `- ${code(path)}`)
    return files.length === 0 ? '' : `As the host reported:\n\n${files.join('\n')}`
  }
  if (changes.length === 0) return 'No files.'
  const total = [
    changes.length === 1 ? '1 file' : `${changes.length} files`,
    `+${sum(changes, 'insertions')}`,
    `-${sum(changes, 'deletions')}`,
  ]
  return `${rows(['File', 'Added', 'Removed'], changes.map(changeRow))}\n\n${total.join(', ')}`
}

function changeRow({ path, from, insertions, deletions }: ReportChange): string[] {
  const name = from === undefined ? code(path) : `${code(from)} → ${code(path)}`
  return [name, count('+', insertions), count('-', deletions)]
}

function count(sign: string, lines: number | null): string {
  return lines === null ? 'binary' : `${sign}${lines}`
}

function sum(changes: readonly ReportChange[], field: 'insertions' | 'deletions'): number {
  return changes.reduce((total, change) => total + (change[field] ?? 0), 0)
}

function evidenceText({ evidence, flags = [] }: RunReport, rows: Rows): string {
  const cells = evidence.map(({ claim, verdict, seen }) => [cell(claim), `**${verdict}**`, cell(seen)])
  const looks = flags.map(({ flag, detail }) => `- Look at: ${flag.replaceAll('_', ' ')}: ${cell(detail)}`)
  return paragraphs([cells.length === 0 ? '' : rows(['Claim', 'Verdict', 'What was seen'], cells), looks.join('\n')])
}

const UNCHECKED = 'None was given; nothing was tested. `drover drive --check "COMMAND"` tests the work of the next run.'

function checkText({ checks = [], is_unchecked: isUnchecked }: RunReport, rows: Rows): string {
  const cells = checks.map(({ command, passed, result }) => [
    code(command),
    passed ? 'passed' : '**failed**',
    cell(result),
  ])
  const tests = checks.flatMap(({ command, tests: changes = [] }) =>
    changes.map(({ text }) => [code(command), cell(text)]),
  )
  const names = tests.length === 0 ? [] : [rows(['Command', 'Tests, compared with those before the work'], tests)]
  const outputs = checks.flatMap(({ command, output = '' }) =>
    output.trim() === '' ? [] : [`The end of what ${code(command)} printed:\n\n${block(output)}`],
  )
  if (cells.length === 0) return isUnchecked === true ? UNCHECKED : ''
  return [rows(['Command', 'Result', ''], cells), ...outputs, ...names].join('\n\n')
}

/** Names of hosts and paths come from commands. Rounds are named if there are several. */
function boundaryText({ boundary }: RunReport, rows: Rows): string {
  if (boundary === undefined) return ''
  const { rounds = [], other_rounds: others = [], reached, refused, unwritable, exceeded } = boundary
  const isSingle = rounds.length === 0
  const enforced = [enforcementText(boundary), ...others.map((each) => `Round ${each.round}: ${enforcementText(each)}`)]
  const wasInside = [boundary, ...others].some(({ enforced_by: program }) => program !== undefined)
  if (!wasInside) return enforced.join('\n\n')
  const users = (by: readonly string[]) => by.join(', ').replaceAll('_', ' ')
  const ofRounds = ({ rounds: seenIn = [] }: { rounds?: readonly number[] }) => (isSingle ? [] : [seenIn.join(', ')])
  const heads = isSingle ? [] : ['Round']
  const refusals = [
    ...refused.map((each) => [
      code(each.host),
      cell(each.reason),
      String(each.count),
      users(each.by),
      ...ofRounds(each),
    ]),
    ...exceeded.map((each) => ['a limit', cell(each.limit), '', users(each.by), ...ofRounds(each)]),
    ...unwritable.map((each) => [code(each.path), 'not writable, as printed', '', users(each.by), ...ofRounds(each)]),
  ]
  const reaches = reached.map((each) => [code(each.host), String(each.count), users(each.by), ...ofRounds(each)])
  const where = isSingle ? 'this run' : `rounds ${rounds.join(', ')}`
  return [
    ...enforced,
    refusals.length === 0
      ? `No refusal was seen in ${where}.`
      : rows(['Refused', 'Reason', 'Times', 'By', ...heads], refusals),
    WHAT_IS_SEEN,
    reaches.length === 0
      ? 'No network host was reached.'
      : rows(['Network host reached', 'Times', 'By', ...heads], reaches),
  ].join('\n\n')
}

const WHAT_IS_SEEN = [
  'drover sees network hosts that its proxy is asked for; connections that go around it, such as to ports of this machine, fail and are not listed.',
  'A path is listed only if a command or a tool printed that it could not be written.',
  'What is written to /tmp, /var/tmp or the home directory is discarded.',
].join(' ')

type Enforcement = Pick<NonNullable<RunReport['boundary']>, 'enforced_by' | 'around' | 'why_not'>

function enforcementText({ enforced_by: program, around = '', why_not: why = '' }: Enforcement): string {
  return program === undefined ? `Not enforced: ${cell(why)}.` : `Enforced by ${program} around ${cell(around)}.`
}

/** A code block that the text cannot end. */
function block(text: string): string {
  const lines = withInertIssues(text.replaceAll('\r\n', '\n')).replaceAll(/[^\P{Cc}\n\t]/gu, '')
  const longest = Math.max(2, ...Array.from(lines.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}text\n${lines.trimEnd()}\n${fence}`
}

function reviewText({ reviews, review_enabled }: RunReport): string {
  if (reviews.length === 0) return review_enabled ? '' : 'Reviews were turned off for this run.'
  return reviews
    .map(({ result, findings }) => {
      const listed = findings.map(
        ({ location, summary, detail }) => `- ${code(location)}: ${cell(summary)}\n\n${indent(quote(detail))}`,
      )
      return [`Result: **${result.replaceAll('_', ' ')}**`, ...listed].join('\n\n')
    })
    .join('\n\n')
}

function reportedText(run: RunOutline): string {
  const { actions, observations, known_issues, uncertainties } = reportedIn(run)
  if (actions.length === 0) return ''
  const hasReports = run.actions.some(({ outcome }) => outcome !== undefined)
  const noIssues = hasReports ? 'They name no known issues.' : ''
  return paragraphs([
    actions.map(({ label, summary }) => entryText(label, summary)).join('\n'),
    titledText('They observed:', observations),
    known_issues.length === 0 ? noIssues : titledText('They name these known issues:', known_issues),
    titledText('They are uncertain about this:', uncertainties),
  ])
}

function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}

function entryText(label: string, text: string): string {
  if (text === '') return `- ${label}`
  return /[\n\r]/.test(text) ? `- ${label}:\n\n${indent(quote(text))}\n` : `- ${label}: ${cell(text)}`
}

function titledText(title: string, notes: readonly string[]): string {
  return notes.length === 0 ? '' : `${title}\n\n${listText(notes)}`
}

function listText(notes: readonly string[]): string {
  return notes.map((note) => `- ${cell(note)}`).join('\n')
}

function costText({ actions, cost }: RunReport): string {
  const lines = [`- Actions: ${actions.used}, ${actions.left} left (${actions.at_start} at the start)`]
  if (cost === undefined) return lines.join('\n')
  const unknown = cost.attempts_with_unknown_usage
  return [
    ...lines,
    `- Attempts: ${cost.attempts}${cost.rounds === undefined ? '' : ` in ${cost.rounds} rounds`}${unknown === 0 ? '' : `, ${unknown} with unknown usage`}`,
    `- Tokens: ${cost.tokens}`,
    ...dollarsText(cost),
    `- Working time: ${Math.floor(cost.working_ms / 1000)} s`,
  ].join('\n')
}

function dollarsText({
  cost_usd: usd,
  priced_usd: priced,
  unknown_cost_attempts: unknown = 0,
}: NonNullable<RunReport['cost']>): string[] {
  const known = usd === undefined ? '' : `$${usd.toFixed(4)}${pricedText(priced)}`
  const parts = [known, describeUnknownCosts(unknown)].filter((part) => part !== '')
  return parts.length === 0 ? [] : [`- Cost: ${parts.join('; ')}`]
}

/** Beside a sum of costs: how many attempts it misses. Empty if none. */
export function describeUnknownCosts(count: number): string {
  return count === 0 ? '' : `${count === 1 ? '1 attempt' : `${count} attempts`} of unknown cost`
}

function pricedText(priced: number | undefined): string {
  return priced === undefined ? '' : `, of which $${priced.toFixed(4)} are tokens at list prices`
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n')
}

function list(_headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.map(([first, ...rest]) => `- ${first}: ${rest.join(', ')}`).join('\n')
}

/** Tags and comments of HTML would continue after the quotation, and footnotes are shown at the end of the page. */
export function quote(text: string): string {
  const lines = withInertMarkdown(text.trim())
    .replaceAll(/(?<!\\)(\\*)(<(?=[a-z/!?])|\[(?=\^))/gi, '$1$1\\$2')
    .split(/\r\n|[\n\r]/)
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n')
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}

/** Text inside of a table or a list: one line, without its own markup. A path or a name with `_` is code. */
function cell(text: string): string {
  const line = withInertMarkdown(toRevealed(text.replaceAll(/\s+/g, ' ').trim()))
  return line.replaceAll(/(?<=^|[\s(])[\w./+-]+(?=$|[\s:;,)])|[\\`*_[\]<>|#]/g, (found) => {
    if (/^[\\`*_[\]<>|#]$/.test(found)) return `\\${found}`
    return found.includes('_') ? code(found) : found
  })
}

/**
 * A code span that the text cannot end. GitHub sees no names of people in it. In a table, a bar after an even number of
 * backslashes ends its cell.
 */
function code(text: string): string {
  const line = withInertIssues(toRevealed(text.replaceAll(/\s+/g, ' ').trim())).replaceAll(/(?<!\\)(\\*)\|/g, '$1$1\\|')
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`
}
