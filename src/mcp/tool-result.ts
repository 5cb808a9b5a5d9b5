/** What tools return: the structured content, and the same as text for models. Pure. */
import type { AgentQuestion, ApprovalRequest } from '../agents/adapter/agent.ts'
import { describeQuestions } from '../agents/adapter/answers.ts'
import type { DrivenRun } from '../drive/service/driven-run.shape.ts'
import type { Execution, ExecutionEvent } from '../executions/store/execution.shape.ts'
import { isFinal } from '../executions/store/execution-states.ts'
import type { Fault } from '../kit/fault.ts'
import { withoutUndefined } from '../kit/json-value.ts'
import { formatAmount, formatLimit } from '../prompts/budget-faults.ts'
import type { BudgetList } from '../prompts/budget-list.shape.ts'
import type { MessageSent } from '../prompts/message-sent.shape.ts'
import type { ComparedResult, ComparedWorktree, KeepResult } from '../prompts/prompt-result.shape.ts'
import type { PromptResult } from '../prompts/prompt-result.ts'
import { toPublicError, withoutServerFiles } from '../service/public-error.ts'
import type { ExecutionView, RunView } from './tools.shape.ts'

export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent: Record<string, unknown>
  isError?: true
}

/** What an agent asks its user, as its event has it. */
export type AskedQuestions = Pick<ApprovalRequest, 'approval_id' | 'reason'> & { questions: readonly AgentQuestion[] }

/** What was seen of an execution while it was watched. */
export type Watched = {
  asked: readonly AskedQuestions[]
  /** The answer so far. */
  text: string
  /** The events that the caller asked for. */
  events?: readonly ExecutionEvent[] | undefined
}

/** As much of an unfinished answer as is worth reading again. */
const MAX_UNFINISHED = 20_000

export function executionResult(execution: Execution, watched: Watched): ToolResult {
  const view = toExecutionView(execution, watched)
  const isError = isFinal(execution.state) && execution.state !== 'completed'
  return toToolResult(view, textOfExecution(view), isError)
}

export function runResult(run: DrivenRun): ToolResult {
  const next = nextOfRun(run)
  const view: RunView = { run: run as unknown as NonNullable<RunView['run']>, next }
  return toToolResult(view, [headOfRun(run), ...detailsOfRun(run), next].join('\n\n'), false)
}

export function keepResult(result: KeepResult): ToolResult {
  return toToolResult(result, textOfKept(result).join('\n'), false)
}

export function budgetResult(list: BudgetList): ToolResult {
  const lines = list.budgets.map(({ name, unit, used, reserved, resets_at: resets, ...limit }) => {
    const held = reserved === 0 ? '' : `, ${formatAmount(reserved, unit)} reserved`
    const end = resets === undefined ? 'it does not reset' : `resets at ${resets}`
    return `${name}: ${formatAmount(used, unit)} of ${formatLimit({ ...limit, unit })} used${held}; ${end}`
  })
  return toToolResult(list, lines.length === 0 ? 'No budget limits you.' : lines.join('\n'), false)
}

export function messageResult(sent: MessageSent): ToolResult {
  const when = sent.delivered === 'now' ? 'The agent has the message.' : WITH_NEXT_PROMPT
  return toToolResult(sent, when, false)
}

export function answerResult(view: { execution_id: string; approval_id: string; decision: string }): ToolResult {
  const told = view.decision === 'deny' ? 'The agent knows that there is no answer.' : 'The agent has the answers.'
  return toToolResult(view, `${told} Call execution_get to wait for its end.`, false)
}

const WITH_NEXT_PROMPT =
  'The agent takes no messages while it works. It gets this one with the next prompt of its session (session_resume).'

/** The message says what is wrong and what to do. */
export function faultResult(fault: Fault): ToolResult {
  const error = toPublicError(withoutServerFiles(fault))
  return toToolResult({ error }, `${error.code}: ${error.message}`, true)
}

function toToolResult(view: object, text: string, isError: boolean): ToolResult {
  return {
    content: [{ type: 'text', text }],
    structuredContent: view as Record<string, unknown>,
    ...(isError && { isError: true }),
  }
}

function toExecutionView(execution: Execution, { text, events, asked }: Watched): ExecutionView {
  const { id, state, kind, session_id, backend, model, last_seq } = execution
  const hasEnded = isFinal(state)
  return {
    execution_id: id,
    state,
    kind,
    has_ended: hasEnded,
    ...withoutUndefined({ session_id, backend, model }),
    ...(hasEnded ? describeEnd(execution, text) : { output: endOfText(text), ...describeWait(asked) }),
    ...(events !== undefined && { events: events as unknown as NonNullable<ExecutionView['events']> }),
    last_seq,
  }
}

const NEXT_OF_RUNNING =
  'Call execution_get with this execution_id to wait for the answer, or execution_cancel to stop it.'

function describeWait(asked: readonly AskedQuestions[]): Partial<ExecutionView> {
  if (asked.length === 0) return { next: NEXT_OF_RUNNING }
  const waitsFor = asked.map(({ approval_id, reason, questions }) =>
    withoutUndefined({ approval_id, reason, questions }),
  )
  return { waits_for: waitsFor as NonNullable<ExecutionView['waits_for']>, next: NEXT_OF_ASKING }
}

const NEXT_OF_ASKING = 'The agent waits for answers: call execution_answer with execution_id, approval_id and answers.'

function describeEnd({ result, error, state }: Execution, text: string): Partial<ExecutionView> {
  if (result === undefined) {
    return { output: text, error: error ?? { code: `execution_${state}`, message: `it is ${state} and has no result` } }
  }
  if ('results' in result) {
    const { results, kept, dropped, left, warnings } = result as unknown as ExecutionView
    return withoutUndefined({ results, kept, dropped, left, warnings })
  }
  const {
    output,
    warnings,
    error: message,
    error_code: code = 'agent_failed',
    retryable,
    retry_after_secs,
  } = result as PromptResult
  const details = retry_after_secs === undefined ? {} : { details: { retry_after_secs } }
  return {
    output,
    ...(warnings !== undefined && { warnings: [...warnings] }),
    ...(message !== undefined && {
      error: { code, message, ...(retryable !== undefined && { retryable }), ...details },
    }),
  }
}

function textOfKept({ kept, dropped = [], left = [], ...of }: Partial<KeepResult>): string[] {
  return [
    ...(of.comparison === undefined ? [] : [`The comparison ${of.comparison}: ${of.prompt_start ?? ''}`.trim()]),
    ...(kept === undefined ? [] : [`Kept ${kept.name} as the branch ${kept.branch} (${kept.commit}).`]),
    ...dropped.map(({ name, commit }) => `Dropped ${name}${commit === undefined ? '' : ` (${commit})`}.`),
    ...left.map(({ name, path, reason }) => `Left ${name} in ${path}: ${reason}`),
  ]
}

function endOfText(text: string): string {
  return text.length > MAX_UNFINISHED ? text.slice(-MAX_UNFINISHED).toWellFormed() : text
}

function textOfExecution(view: ExecutionView): string {
  const { execution_id: id, state, has_ended: hasEnded, backend, output = '', results, error, warnings = [] } = view
  if (!hasEnded) {
    const questions = (view.waits_for as unknown as readonly AskedQuestions[] | undefined) ?? []
    const asked = questions.map((each) =>
      [`\napproval_id ${each.approval_id}:`, each.reason, describeQuestions(each.questions)].filter(Boolean).join('\n'),
    )
    const head = [`${backend ?? 'It'} has not ended yet (execution ${id}, ${state}). ${view.next}`, ...asked].join('\n')
    return output === '' ? head : `${head}\n\nThe answer so far:\n${output}`
  }
  const parts =
    results === undefined ? [output] : results.map((result) => textOfPart(result as unknown as ComparedResult))
  const problem = error === undefined ? [] : [`${error.code}: ${error.message}`]
  const notes = [
    ...textOfKept(view as unknown as Partial<KeepResult>),
    ...warnings.map((warning) => `Warning: ${warning}`),
  ]
  const texts = [...parts, ...problem, ...notes].filter((part) => part !== '')
  return texts.length === 0 ? `It has ended (${state}) without an answer.` : texts.join('\n\n')
}

function textOfPart({ backend, output, error, worktree }: ComparedResult): string {
  const answer = `## ${backend}\n\n${error === undefined ? output : `${output}\n${error}`.trim()}`
  return worktree === undefined ? answer : `${answer}\n\n${textOfWorktree(worktree)}`
}

function textOfWorktree({ name, path, files, insertions, deletions, checks }: ComparedWorktree): string {
  const size = `${files} changed files, +${insertions} -${deletions}`
  const ended = checks.map(({ command, passed, unfinished }) => {
    const end = passed ? 'passed' : (unfinished?.replace('_', ' ') ?? 'failed')
    return `${command} ${end}`
  })
  return [`${name}: ${size}${path === undefined ? '' : ` in ${path}`}`, ...ended].join('; ')
}

function headOfRun({ id, verdict, goal }: DrivenRun): string {
  const looks = verdict.look_first.map((each) => `\n- ${each}`).join('')
  return `Run ${id}: ${verdict.word === 'delivered, look first' ? verdict.word : verdict.line}${looks}\nGoal: ${goal}`
}

function detailsOfRun({ waits_for: waits, pause, problem, report }: DrivenRun): string[] {
  return [
    ...(waits === undefined ? [] : [`It waits (${waits.reason}): ${waits.question}`]),
    ...(pause === undefined ? [] : [`It is paused (${pause.reason}): ${pause.message}`]),
    ...(problem === undefined ? [] : [`${problem.code}: ${problem.message}`]),
    ...(report === undefined ? [] : [report]),
  ]
}

function nextOfRun({ state, waits_for: waits, next_run_id: next, verdict }: DrivenRun): string {
  if (next !== undefined) return `It continues as run ${next}: call run_status with that id.`
  if (state === 'running')
    return 'Call run_status with its id and wait_secs to wait until it needs a person or has ended.'
  if (waits?.reason === 'destructive_confirmation_required') {
    return 'A person has to confirm this, with drover answer or in the console. run_answer declines it.'
  }
  if (waits !== undefined) return 'Call run_answer with its id and the text of the answer.'
  if (state === 'paused' || state === 'interrupted' || state === 'failed') {
    return 'A person lets it continue, with drover drive and its id or in the console.'
  }
  return `It is over. For a person, the next command is: ${verdict.next}`
}
