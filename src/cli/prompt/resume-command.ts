import type { Backend } from '../../agents/adapter/agent.ts'
import { USER } from '../../prompts/caller.ts'
import type { Session } from '../../sessions/session.shape.ts'
import type { VisibleSessions } from '../../sessions/session-store.ts'
import type { Invocation, RunCommand } from '../command.ts'
import { argumentUnexpected, flagsConflict, flagValueInvalid, nothingToContinue, sessionNotNamed } from '../faults.ts'
import { exitCodeOfSignal } from '../interruption.ts'
import { openDrover } from '../open/open-drover.ts'
import { listCandidates } from '../sessions/open-sessions.ts'
import { readSettings } from '../settings.ts'
import { askForPrompt, isInteractive, withQuestions } from './ask-user.ts'
import { executePrompt } from './execute-prompt.ts'
import { newestSession, type SessionCriteria, toSessionFilter } from './newest-session.ts'
import { MAX_LISTED, pickSession } from './pick-session.ts'
import { checkDetachable, readOutputFormat, requestFromFlags, wantsDeltas } from './prompt-flags.ts'
import { readPrompt } from './read-prompt.ts'

export const run: RunCommand = async (invocation) => {
  const reading = await readSettings(invocation)
  const { config } = reading
  const isDetached = invocation.flags.isOn('detach')
  if (isDetached) checkDetachable(invocation)
  const target = readTarget(invocation)
  await using drover = openDrover(invocation, { config })
  const choice = await choose(invocation, await drover.sessions.of(USER), target)
  if (choice === 'quit') return 0
  if (choice === 'interrupted') return exitCodeOfSignal('SIGINT')
  const { session, prompt } = choice
  const isFork = invocation.flags.isOn('fork')
  const format = readOutputFormat(invocation, reading)
  const backend = backendFor(invocation, target, session)
  // A server reads the conversation itself.
  const history =
    backend === session.backend || isDetached ? undefined : await drover.sessions.conversation(USER, session)
  const request = {
    ...requestFromFlags(invocation),
    backend,
    prompt,
    ...(isFork ? { forks: session, history } : { resumes: session }),
    wantsDeltas: wantsDeltas(invocation, format),
  }
  if (isDetached) {
    const { detachPrompt } = await import('./detach-prompt.ts')
    return await detachPrompt(invocation, { request, config })
  }
  return await executePrompt(invocation, { request, drover, config, format })
}

/** A named session can be forked on another agent. Otherwise `--backend` only selects a session. */
function backendFor({ flags }: Invocation, { session: target }: ResumeTarget, session: Session): Backend {
  const isNamed = typeof target === 'object'
  return (isNamed ? (flags.text('backend') as Backend | undefined) : undefined) ?? session.backend
}

type ResumeTarget = { session: 'newest' | 'picked' | { id: string }; words: readonly string[] }

/** The id of a session or its first characters. */
const ID = /^[0-9a-f]+$/

/** With `--last` or `--here` the arguments contain no session, only a prompt. */
function readTarget(invocation: Invocation): ResumeTarget {
  const { args, flags, runtime } = invocation
  const [first] = args
  const isLast = flags.isOn('last') || flags.isOn('latest')
  if (first === undefined && !isLast && isInteractive(runtime)) return { session: 'picked', words: [] }
  if (isLast || flags.isOn('here')) return { session: 'newest', words: onlyPrompt(invocation, isLast) }
  if (first === undefined || !ID.test(first)) throw sessionNotNamed({ given: first })
  return { session: { id: first }, words: args.slice(1) }
}

/** With `--here` a word that looks like an id is refused: sending an id as a prompt by mistake would cost money. */
function onlyPrompt({ args }: Invocation, isLast: boolean): readonly string[] {
  const [first = '', second] = args
  if (!isLast && ID.test(first)) {
    const instead = `leave one of them out, or add --last if "${first}" is the text`
    throw flagsConflict({ flags: ['--here', `session ${first}`], instead })
  }
  const command = isLast ? 'resume --last' : 'resume --here'
  if (second !== undefined) throw argumentUnexpected({ command, given: second, takes: 'some' })
  return args
}

type ResumeChoice = { session: Session; prompt: string }

/** How the user left without choosing a session. */
type Unchosen = 'quit' | 'interrupted'

/** Finds the session and the prompt. */
async function choose(
  invocation: Invocation,
  store: VisibleSessions,
  { session, words }: ResumeTarget,
): Promise<ResumeChoice | Unchosen> {
  if (session === 'picked') return await pickFromList(invocation, store)
  const named = { ...invocation, args: words }
  // Reads a pipe and reports a missing prompt before the session is looked up; asks the user only afterwards.
  const prompt = mustAskForPrompt(named) ? undefined : await readPrompt(named)
  const found =
    session === 'newest'
      ? await newestSession(invocation, store, readCriteria(invocation))
      : await findNamed(invocation, store, session.id)
  return { session: found, prompt: prompt ?? (await withQuestions(invocation.runtime, askForPrompt)) }
}

function mustAskForPrompt({ args, flags, runtime }: Invocation): boolean {
  return args.length === 0 && flags.text('file') === undefined && isInteractive(runtime)
}

function readCriteria({ flags, runtime }: Invocation): SessionCriteria {
  return { workdir: flags.isOn('here') ? runtime.cwd : undefined, isResumable: !flags.isOn('fork') }
}

async function findNamed({ flags, runtime }: Invocation, store: VisibleSessions, id: string): Promise<Session> {
  const session = await listCandidates({ store, now: runtime.clock.now() }, () => store.find(id))
  const backend = flags.text('backend')
  if (backend !== undefined && backend !== session.backend && !flags.isOn('fork')) {
    throw flagValueInvalid({
      flag: '--backend',
      given: backend,
      allowed: `${session.backend}, the agent of the session, unless --fork starts a new one`,
    })
  }
  return session
}

async function pickFromList(invocation: Invocation, store: VisibleSessions): Promise<ResumeChoice | Unchosen> {
  const filter = toSessionFilter(invocation, readCriteria(invocation))
  const { sessions } = await store.list(filter, { limit: MAX_LISTED, offset: 0 })
  if (sessions.length === 0) throw nothingToContinue({ workdir: filter.workdir, backend: filter.backend, gone: 0 })
  const given = invocation.flags.text('file') === undefined ? undefined : await readPrompt(invocation)
  const choice = await pickSession(sessions, invocation.runtime)
  if (choice.is !== 'chosen') return choice.is
  const prompt = given ?? (await withQuestions(invocation.runtime, askForPrompt))
  // A page has only the beginnings of prompts.
  return { session: await store.find(choice.session.id), prompt }
}
