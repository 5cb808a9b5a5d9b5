/** `drover answer`: an answer to the question of a run, or a confirmation of a destructive request. */
import type { ProtocolState } from '../../contract/protocol-state.shape.ts'
import { drivenRunAsksNothing } from '../../drive/faults.ts'
import { lastRound, readVerdict } from '../../drive/read-verdict.ts'
import { readDrive } from '../../drive/record/drive-journal.ts'
import { tellAgent } from '../../drive/start/tell-agent.ts'
import { userName } from '../../kit/user-name.ts'
import { answerModeConflict } from '../../runs/faults.ts'
import { answerQuestion } from '../../runs/operations.ts'
import { parseAnswer } from '../../runs/parse-request.ts'
import { outlineRun, type RunOutline } from '../../runs/read-status.ts'
import { namesRun, resolveRunId } from '../../runs/resolve-run-id.ts'
import type { RunContext } from '../../runs/run-context.ts'
import { asOwner, refuseOwnRun } from '../../runs/run-worktree.ts'
import { ANSWER_INPUT, decodeAnswer } from '../../runs/text-inputs.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { flagsConflict } from '../faults.ts'
import { readInput } from '../read-input.ts'
import { withWorkspace } from '../workspace-command.ts'
import { askPerson, canAsk, confirmedDigest, matchesDigest } from './ask-person.ts'
import { continueInServer } from './continue-in-server.ts'
import { openRuns } from './open-runs.ts'
import { openPersonRun, type PersonRun, printChangedRun } from './person-run.ts'
import { describeWait } from './run-waits.ts'

export const run: RunCommand = (invocation) =>
  withWorkspace(invocation, async (command) => {
    const context = await openRuns(command, invocation.runtime)
    const { given, text } = await readWords(invocation, context)
    const asked = given === undefined ? given : await findAsking(context, given)
    const found = await openPersonRun(command, context, { given: asked, intent: 'answer' })
    const answer = await toAnswer(invocation, found, text)
    const state =
      lacksSomething(found) && isText(answer)
        ? await tellLacking(found, answer)
        : await answerQuestion(found.context, found.run.id, answer)
    const done = answer.confirmDestructive ? 'Confirmed.' : 'Answered.'
    const isContinued = await continueInServer(invocation, found.run.id)
    const sentence = isContinued ? `${done} Your server continues the run.` : done
    await printChangedRun(invocation, found.context, { state, sentence })
    return 0
  })

/** The question of a driven run is that of its latest round. Without one, its verdict says more than the protocol. */
async function findAsking(context: RunContext, given: string): Promise<string> {
  const runId = resolveRunId(context, given)
  if (readDrive(context.store, runId) === undefined) return given
  refuseOwnRun(context, runId)
  const drive = lastRound(context.store, runId)
  const run = await outlineRun(asOwner(context, drive.run_id), drive.run_id)
  if (run.state === 'paused') return run.id
  const { line, next } = await readVerdict(context, { run, drive })
  throw drivenRunAsksNothing({ run_id: run.id, line, command: next })
}

type Answer = ReturnType<typeof parseAnswer>

const isText = ({ text, confirmDestructive }: Answer) => !confirmDestructive && text.trim() !== ''

/** The protocol knows no answer in this state, but the driver can pass one on. */
function lacksSomething({ context, run }: PersonRun): boolean {
  return run.pause_reason === 'environment_unavailable' && readDrive(context.store, run.id) !== undefined
}

async function tellLacking({ context, run }: PersonRun, { text }: Answer): Promise<ProtocolState> {
  return await tellAgent(context, run, { text, by: { via: 'terminal', name: userName() } })
}

type Words = { given: string | undefined; text: string | undefined }

/** One argument is the answer, unless it names a run and the answer comes from elsewhere. */
async function readWords({ args, flags, runtime }: Invocation, context: RunContext): Promise<Words> {
  const [first, second] = args
  const file = flags.text('file')
  if (second !== undefined && file !== undefined) throw answerModeConflict({})
  if (flags.text('confirm') !== undefined && file !== undefined) throw flagsConflict({ flags: ['--confirm', '--file'] })
  if (second !== undefined) return { given: first, text: second }
  const isRun = first !== undefined && (file !== undefined || namesRun(context, first))
  if (first !== undefined && !isRun) return { given: undefined, text: first }
  return { given: first, text: file === undefined ? undefined : await readText(runtime, file) }
}

async function readText(runtime: Invocation['runtime'], file: string | undefined): Promise<string> {
  return decodeAnswer(await readInput({ ...ANSWER_INPUT, file, runtime }))
}

async function toAnswer(invocation: Invocation, found: PersonRun, text: string | undefined): Promise<Answer> {
  const { flags, runtime } = invocation
  const { run, context } = found
  const actionId = run.current_action?.action_id ?? 'none'
  const given = flags.text('confirm')
  if (given !== undefined) {
    const scopeSha256 = confirmedDigest(given, run.pending_destructive_request?.scope_sha256)
    return parseAnswer({ actionId, text, confirmDestructive: true, scopeSha256 })
  }
  if (text !== undefined) return textAnswer(actionId, text)
  if (runtime.stdin.isPiped()) return textAnswer(actionId, await readText(runtime, undefined))
  if (!canAsk(runtime) || (run.next.operation !== 'answer' && !lacksSomething(found))) return textAnswer(actionId, '')
  return await askFor(invocation, { run, signal: context.signal }, actionId)
}

function textAnswer(actionId: string, text: string): Answer {
  return parseAnswer({ actionId, text, confirmDestructive: false, scopeSha256: undefined })
}

/** Shows what is asked for, whole, and then asks. Only `y` or the digest confirms; every other answer declines. */
async function askFor(
  { runtime }: Invocation,
  { run, signal }: { run: RunOutline; signal: AbortSignal },
  actionId: string,
): Promise<Answer> {
  const { err } = runtime.terminal
  const request = run.pending_destructive_request
  await err.write(`${describeWait(run, err).join('\n')}\n`)
  const question =
    request === undefined ? 'Answer: ' : 'Type y to allow exactly this, once. Any other text refuses it: '
  const text = await askPerson(runtime, { question: err.style('bold', question), signal })
  const isAllowed = request !== undefined && (text.toLowerCase() === 'y' || matchesDigest(text, request.scope_sha256))
  if (!isAllowed) return textAnswer(actionId, text)
  return parseAnswer({ actionId, text: '', confirmDestructive: true, scopeSha256: request.scope_sha256 })
}
