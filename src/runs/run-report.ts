/**
 * The report about a run, in Markdown: for `drover report` and for the text of a pull request. Texts of agents and issues are
 * quoted, so that they cannot look like a part of the report. Pure.
 */
import type { RunOutline } from './run-status.ts'

/** What only a driver of the run knows. A part that is missing is left out, or taken from what the host reported. */
export type ReportParts = {
  /** Each claim of an agent, and what drover saw of it. */
  readonly evidence?: readonly ReportEvidence[]
  /** The commands that drover ran itself. */
  readonly checks?: readonly { readonly command: string; readonly passed: boolean; readonly result: string }[]
  /** The files that git shows as changed. A binary file has no counts. */
  readonly changes?: readonly ReportChange[]
  /** The branch that holds the changes. */
  readonly branch?: string
  /** Attempts, tokens, money, time. */
  readonly cost?: readonly { readonly name: string; readonly value: string }[]
}

type ReportEvidence = {
  readonly claim: string
  readonly verdict: 'observed' | 'claimed' | 'contradicted'
  /** What was seen, and where. */
  readonly seen: string
}

type ReportChange = {
  readonly path: string
  readonly insertions: number | null
  readonly deletions: number | null
}

const FOOTNOTE = 'This report repeats what was reported and observed. It certifies nothing.'

export function writeReport(run: RunOutline, parts: ReportParts = {}): string {
  const sections = [
    ['Goal', goalText(run)],
    ['Decisions', decisionText(run)],
    ['What changed', changeText(run, parts)],
    ['Evidence', evidenceText(run, parts)],
    ['Checks', checkText(parts)],
    ['Review', reviewText(run)],
    ['Known issues', listText([...(run.known_issues ?? []), ...(run.uncertainties ?? [])])],
    ['Summary', run.summary === undefined ? '' : quote(run.summary)],
    ['Cost', costText(run, parts)],
  ].filter(([, text]) => text !== '')
  const body = sections.map(([title, text]) => `## ${title}\n\n${text}`)
  return `${[`# Run ${run.id}`, stateText(run, parts), ...body, `---\n\n${FOOTNOTE}`].join('\n\n')}\n`
}

function stateText({ state, pause_reason, created_at, updated_at }: RunOutline, { branch }: ReportParts): string {
  const reason = pause_reason === undefined ? '' : ` (${pause_reason})`
  const where = branch === undefined ? '' : ` Branch: ${code(branch)}.`
  return `State: **${state}**${reason}. Started ${created_at}, last change ${updated_at}.${where}`
}

function goalText({ goal, pinned_source: source }: RunOutline): string {
  const issue =
    source === undefined ? '' : `\n\nIssue: ${source.canonical_url}, requirements ${code(source.requirements_revision)}`
  return `${quote(goal)}${issue}`
}

/** Each question with its answer. */
function decisionText({ actions, answers = [] }: RunOutline): string {
  return answers
    .map(({ action_id, text, confirm_destructive, active, at }) => {
      const asked = actions.find(({ action }) => action.action_id === action_id)?.outcome?.pause
      const request = asked?.destructive_request
      const targets = request?.targets.map(({ kind, value }) => `- ${kind} ${code(value)}`) ?? []
      const said = confirm_destructive
        ? `Confirmed at ${at}.`
        : `Answer, ${at}${active || request ? '' : ' (superseded)'}:`
      return [quote(asked?.question ?? ''), targets.join('\n'), said, text === '' ? '' : quote(text)]
        .filter((part) => part !== '')
        .join('\n\n')
    })
    .join('\n\n')
}

function changeText({ actions }: RunOutline, { changes }: ReportParts): string {
  if (changes !== undefined) {
    const rows = changes.map(({ path, insertions, deletions }) => [
      code(path),
      count('+', insertions),
      count('-', deletions),
    ])
    return rows.length === 0 ? 'No files.' : table(['File', 'Added', 'Removed'], rows)
  }
  const reported = new Set(actions.flatMap(({ outcome }) => outcome?.implementation?.files_changed ?? []))
  const files = [...reported].filter((path) => path !== '')
  return files.length === 0 ? '' : `As the host reported:\n\n${files.map((path) => `- ${code(path)}`).join('\n')}`
}

function count(sign: string, lines: number | null): string {
  return lines === null ? 'binary' : `${sign}${lines}`
}

function evidenceText({ actions }: RunOutline, { evidence }: ReportParts): string {
  const rows = evidence ?? actions.flatMap(({ outcome }) => (outcome?.implementation?.activities ?? []).map(toClaim))
  const cells = rows.map(({ claim, verdict, seen }) => [cell(claim), `**${verdict}**`, cell(seen)])
  return cells.length === 0 ? '' : table(['Claim', 'Verdict', 'What was seen'], cells)
}

/** Nothing was seen of what a host only reports. */
function toClaim(activity: { kind: string; command: string; exit_code: number }): ReportEvidence {
  const { kind, command, exit_code } = activity
  return { claim: `${kind}: ${command} exited with ${exit_code}`, verdict: 'claimed', seen: 'the host says so' }
}

function checkText({ checks = [] }: ReportParts): string {
  const rows = checks.map(({ command, passed, result }) => [
    code(command),
    passed ? 'passed' : '**failed**',
    cell(result),
  ])
  return rows.length === 0 ? '' : table(['Command', 'Result', ''], rows)
}

function reviewText({ actions, review_enabled }: RunOutline): string {
  const reviews = actions
    .map(({ outcome }) => outcome?.review)
    .filter((review) => review !== undefined && review !== null)
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

function listText(notes: readonly string[]): string {
  return [...new Set(notes)].map((note) => `- ${cell(note)}`).join('\n')
}

function costText({ actions, initial_budget, remaining_budget }: RunOutline, { cost = [] }: ReportParts): string {
  const used = {
    name: 'Actions',
    value: `${actions.length}, ${remaining_budget} left (${initial_budget} at the start)`,
  }
  return [used, ...cost].map(({ name, value }) => `- ${name}: ${value}`).join('\n')
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n')
}

function quote(text: string): string {
  const lines = text.trim().split(/\r\n|[\n\r]/)
  return lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n')
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}

/** Text inside of a table or a list: one line, without markup of its own. */
function cell(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.replaceAll(/[\\`*_[\]<>|#]/g, '\\$&')
}

/** A code span that the text cannot end. */
function code(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().replaceAll('|', '\\|')
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`
}
