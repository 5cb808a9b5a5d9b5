/** The report of a run as drover writes it, what the run must fulfil, and its settings. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { Markdown } from '../parts/markdown-view.tsx'
import { describeSpentCost, formatCost, formatCount, formatDuration } from '../text/format.ts'
import { toLine, toVisible } from '../text/visible-text.ts'
import { actionsText, machineText } from './run-facts.ts'

export function ReportTab({ run }: { run: DrivenRun }) {
  const { findings = [], report, source } = run
  return (
    <div class="report">
      {findings.length > 0 && <h2>Review findings</h2>}
      {findings.map((finding, at) => (
        <p key={at} class="as-is">
          <code>{toLine(finding.location)}</code> <strong>{toLine(finding.summary)}</strong> {toVisible(finding.detail)}
        </p>
      ))}
      {report === undefined ? (
        <p class="dim">There is no report yet.</p>
      ) : (
        <Markdown text={withoutTitle(report)} top={1} />
      )}
      {source?.sections.map(({ key, role, title, markdown }) => (
        <section key={key}>
          <h2>
            {toLine(title)} <span class="dim">{toLine(role)}</span>
          </h2>
          <Markdown text={markdown} top={3} />
        </section>
      ))}
      <h2>Settings</h2>
      <dl class="settings">
        {settingsOf(run).map(([name, value]) => (
          <div key={name}>
            <dt class="dim">{name}</dt>
            <dd class="path">{toLine(value)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

/** The head of the page has it. */
const withoutTitle = (report: string) => report.replace(/^# .*\n+/, '')

function settingsOf(run: DrivenRun): [name: string, value: string][] {
  const { spent, limits } = run
  const of = (limit: string | undefined) => (limit === undefined ? '' : ` of ${limit}`)
  const machine = machineText(run)
  const cost = formatCost(spent.cost_usd, spent.priced_usd !== undefined)
  const missing = describeSpentCost({ cost: 0, unknown: spent.unknown_cost_attempts })
  return [
    ['repository', run.repository],
    ...(machine === undefined ? [] : [['machine', machine] as [string, string]]),
    ['checks', run.checks.join(', ') || 'none'],
    ['approval', run.approval_mode],
    ...(run.mcp_servers === undefined ? [] : [['MCP servers', run.mcp_servers.join(', ')] as [string, string]]),
    ['actions', actionsText(run)],
    [
      'tokens',
      formatCount(spent.tokens) + of(limits.max_tokens === undefined ? undefined : formatCount(limits.max_tokens)),
    ],
    [
      'cost',
      cost +
        of(limits.max_cost_usd === undefined ? undefined : formatCost(limits.max_cost_usd)) +
        (missing && `, ${missing}`),
    ],
    ['working time', formatDuration(spent.time_secs * 1000)],
  ]
}
