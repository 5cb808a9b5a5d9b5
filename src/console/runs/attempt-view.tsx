/** One attempt of an agent, with the checks that drover ran after it and what drover saw of its claims. */
import type { DrivenRun } from '../../drive/service/driven-run.shape.ts'
import { ExecutionPanel } from '../execution/execution-panel.tsx'
import { toHash } from '../live/router.ts'
import { useExecution } from '../live/use-execution.ts'
import { ApprovalLine } from '../parts/approval-line.tsx'
import { StateChip, Tokens } from '../parts/state-chip.tsx'
import { Code } from '../parts/text-view.tsx'
import { Wide } from '../parts/wide.tsx'
import { formatDuration } from '../text/format.ts'
import { toStateWord } from '../text/state-word.ts'
import { toLine, toVisible } from '../text/visible-text.ts'

export type DrivenAttempt = NonNullable<DrivenRun['attempts']>[number]
type Check = DrivenAttempt['checks'][number]
type Evidence = NonNullable<DrivenAttempt['evidence']>

export function AttemptView({ attempt }: { attempt: DrivenAttempt }) {
  const { how, purpose, duration_ms: duration, summary, error, evidence } = attempt
  const isLive = how === 'running'
  return (
    <article class="turn">
      <h3>
        {attempt.attempt}. {toLine(attempt.action_kind)}
        {purpose !== 'action' && <span class="dim"> again: {purpose.replaceAll('_', ' ')}</span>}
      </h3>
      <div class="facts">
        <StateChip word={toStateWord(how)} />
        <span>{toLine(attempt.backend)}</span>
        {duration !== undefined && <span>{formatDuration(duration)}</span>}
        <Tokens usage={attempt.usage} cost={attempt.cost_usd} kind={attempt.cost_kind} />
        <a href={toHash('executions', attempt.execution_id)}>What the agent did</a>
      </div>
      {summary !== undefined && <p class="as-is">{toVisible(summary)}</p>}
      {error !== undefined && <p class="problem">{toVisible(error)}</p>}
      {(attempt.approvals ?? []).map((approval) => (
        <ApprovalLine key={approval.approval_id} approval={approval} />
      ))}
      <Notes warnings={attempt.warnings} />
      {attempt.checks.map((check, at) => (
        <CheckView key={at} check={check} />
      ))}
      {evidence !== undefined && <EvidenceView evidence={evidence} />}
      {isLive && <Live id={attempt.execution_id} />}
    </article>
  )
}

function Live({ id }: { id: string }) {
  return <ExecutionPanel followed={useExecution(id)} hasPrompt={false} />
}

/** Mostly how modes apply to this agent, so they are folded. */
function Notes({ warnings }: { warnings: readonly string[] }) {
  if (warnings.length === 0) return null
  return (
    <details class="tool">
      <summary class="dim">{warnings.length === 1 ? '1 note' : `${warnings.length} notes`}</summary>
      {warnings.map((warning) => (
        <p key={warning} class="warning">
          {toVisible(warning)}
        </p>
      ))}
    </details>
  )
}

/** How one check ended, with its output. */
export function CheckView({ check }: { check: Omit<Check, 'at'> }) {
  const { command, passed, exit_code: code, problem, duration_ms: duration, output, tests } = check
  const result = passed ? 'passed' : code === undefined ? (problem ?? 'failed') : `failed, exit code ${code}`
  return (
    <details class={`tool tool-${passed ? 'done' : 'failed'}`} open={!passed}>
      <summary>
        <strong>Check</strong> <code class="summary">{toLine(command)}</code>
        <span class="dim">
          {' '}
          {toLine(result)}, {formatDuration(duration)}
        </span>
      </summary>
      {(tests?.changes ?? []).map(({ change, text, is_setback: isSetback }) => (
        <p key={change} class={isSetback ? 'warning' : 'dim'}>
          {toVisible(text)}
        </p>
      ))}
      <Code text={output === '' ? '(no output)' : output} />
    </details>
  )
}

function EvidenceView({ evidence: { claims, flags } }: { evidence: Evidence }) {
  return (
    <>
      {claims.length > 0 && (
        <Wide>
          <table class="evidence">
            <caption class="unseen">What drover saw of the claims of the agent</caption>
            <thead>
              <tr>
                <th>claim</th>
                <th>drover</th>
                <th>what was seen</th>
              </tr>
            </thead>
            <tbody>
              {claims.map((claim, at) => (
                <tr key={at}>
                  <td>
                    <code>{toLine(claim.subject)}</code>
                    {claim.exit_code !== undefined && ` exited with ${claim.exit_code}`}
                  </td>
                  <td class={`verdict-${claim.verdict}`}>{claim.verdict}</td>
                  <td>
                    {toLine(claim.note)}{' '}
                    {claim.execution_id !== undefined && claim.seq !== undefined && (
                      <a href={toHash('executions', claim.execution_id, { seq: String(claim.seq) })}>tool call</a>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Wide>
      )}
      {flags.map(({ flag, detail }, at) => (
        <p key={at} class="warning">
          {flag.replaceAll('_', ' ')}: {toVisible(detail)}
        </p>
      ))}
    </>
  )
}
