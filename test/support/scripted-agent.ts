/**
 * An agent that was called with `drover-run` and follows it to the letter. Of drover it knows what that text shows it, its
 * commands and the form of an outcome, and what drover answers; it continues by the typed `next` alone. It has no tool but a
 * shell and no memory but the conversation, and it does the same every time.
 */
import type { Outcome } from '../../src/contract/outcome.shape.ts'
import type { ProtocolState } from '../../src/contract/protocol-state.shape.ts'
import type { ListReport } from '../../src/contract/reports.shape.ts'
import { quoteText, quoteWord } from '../../src/kit/shell-words.ts'
import { variantOf, wordsOf } from './next-variant.ts'
import { QUESTION, type Steps, WIND_WORK } from './scripted-actions.ts'

/** What the agent was called with: the text of the capability, and what its user wants. */
type Call = { readonly text: string; readonly request: string }

/** What the agent does next in a conversation in which it heard this since it was called. */
export function replyTo(call: Call, heard: readonly string[]): { shell: string } | { says: string } {
  try {
    const steps = followRun(call)
    const last = heard.reduce((step, words) => (step.done ? step : steps.next(words)), steps.next())
    return last.done ? { says: last.value } : last.value
  } catch (error) {
    return { says: `I stop here: ${error}` }
  }
}

/** All that the agent does; it ends with what it tells its user. */
function* followRun({ text, request }: Call): Steps<string> {
  const root = (yield { shell: 'git rev-parse --show-toplevel' }).trim()
  probe(readAnswer(yield run(shownCommand(text, 'drover list', { ROOT: root }))))
  yield run(shownCommand(text, 'drover status', { ROOT: root }))
  let state = yield* startRun({ text, request, root })
  while (state.state === 'active' || state.pause_reason === 'decision_required') {
    state = state.state === 'active' ? yield* doAction(text, state) : yield* askUser(state)
  }
  return `The run ${state.run_id} is ${state.state}.`
}

function* startRun({ text, request, root }: Call & { root: string }): Steps<ProtocolState> {
  const goal = yield* writePrivately(request)
  const envelopes = yield* fetchIssue({ text, request })
  const start = shownCommand(text, 'drover run', { ROOT: root, N: '8', FILE: goal })
  const source = envelopes.flatMap((file) => ['--source-file', file])
  const state = readAnswer<ProtocolState>(yield run([...start, ...source]))
  yield run(['rm', goal, ...envelopes])
  return state
}

/** The file of its envelope, if the request names an issue. */
function* fetchIssue({ text, request }: Call): Steps<string[]> {
  const url = /https:\/\/github\.com\S+/.exec(request)?.[0]
  if (url === undefined) return []
  const file = yield* writePrivately('')
  yield run(shownCommand(text, 'drover source fetch', { URL: url, FILE: file }))
  yield run(shownCommand(text, 'drover source check', { FILE: file }))
  return [file]
}

function* doAction(text: string, state: ProtocolState): Steps<ProtocolState> {
  const { action } = state
  if (state.contract_version !== 2 || action === undefined) throw new Error('this is not what an active run answers')
  for (const key of action.requirements?.required_for_action ?? []) {
    const reader = action.requirements?.reader.base_argv ?? []
    const material = readAnswer(yield run([...reader, '--section', key]))
    if (material['action_id'] !== action.action_id) throw new Error('this is the material of another action')
  }
  const report = yield* WIND_WORK[action.kind](action)
  const outcome = { ...shownOutcome(text), action_id: action.action_id, action_kind: action.kind, ...report }
  return yield* take({ state, variant: 'submit-outcome-file', input: 'outcome_file', content: JSON.stringify(outcome) })
}

function* askUser(state: ProtocolState): Steps<ProtocolState> {
  const content = yield { says: QUESTION }
  return yield* take({ state, variant: 'answer-decision', input: 'text_file', content })
}

type Taking = { state: ProtocolState; variant: string; input: string; content: string }

/** Continues by a variant of `next` that takes a file. */
function* take({ state, variant, input, content }: Taking): Steps<ProtocolState> {
  const file = yield* writePrivately(content)
  const words = wordsOf(variantOf(state, variant), { [input]: file })
  const next = readAnswer<ProtocolState>(yield run(['drover', ...words]))
  yield run(['rm', file])
  return next
}

/** The first command of this name that the text shows, with values for its words in capitals. */
function shownCommand(text: string, name: string, values: Readonly<Record<string, string>>): string[] {
  const lines = [...text.replaceAll(/\s+/g, ' ').matchAll(/`(drover [^`]+)`/g)].map(([, line = '']) => line)
  const line = lines.find((each) => each.startsWith(`${name} `))
  if (line === undefined) throw new Error(`the text shows no ${name}`)
  return line.split(' ').map((word) => values[word] ?? word)
}

/** The outcome that the text shows. */
function shownOutcome(text: string): Outcome {
  const [, json] = /```json\n(.*?)```/s.exec(text) ?? []
  if (json === undefined) throw new Error('the text shows no outcome')
  return JSON.parse(json)
}

/** What drover printed, whatever the host puts around it. */
function readAnswer<T = Record<string, unknown>>(printed: string): T {
  const line = printed.split('\n').find((each) => each.startsWith('{'))
  if (line === undefined) throw new Error(`no answer of drover: ${printed}`)
  const answer = JSON.parse(line)
  if ('exit_code' in answer) throw new Error(answer.message)
  return answer
}

/** The test of the text for another program that has the name. */
function probe({ contract_version, hosts = [] }: Partial<ListReport>): void {
  const isHost = ({ id, detected, installed, needs_refresh, capabilities }: ListReport['hosts'][number]) =>
    typeof id === 'string' &&
    id !== '' &&
    [detected, installed, needs_refresh].every((each) => typeof each === 'boolean') &&
    Array.isArray(capabilities)
  const isDrover = contract_version === 2 && hosts.length > 0 && hosts.every(isHost)
  if (!isDrover) throw new Error('another program has the name of drover')
}

function* writePrivately(content: string): Steps<string> {
  const line = `umask 077; file=$(mktemp) && printf %s ${quoteText(content)} > "$file" && echo "file $file"`
  const printed = yield { shell: line }
  const path = /^file (\/.*)$/m.exec(printed)?.[1]
  if (path === undefined) throw new Error(`no file was written: ${printed}`)
  return path
}

function run(words: readonly string[]): { shell: string } {
  return { shell: words.map(quoteWord).join(' ') }
}
