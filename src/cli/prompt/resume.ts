import type { Session } from '../../sessions/session.shape.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Invocation, Run } from '../command.ts'
import { argumentUnexpected, flagsConflict, flagValueInvalid, nothingToContinue, sessionNotNamed } from '../faults.ts'
import { listCandidates } from '../sessions/ambiguous-id.ts'
import { readSettings } from '../settings.ts'
import { askForPrompt, converse, isSomebodyThere } from './ask-prompt.ts'
import { filterOf, newestSession, type Wanted } from './newest-session.ts'
import { performPrompt } from './perform-prompt.ts'
import { type Choice, MOST_SHOWN, pickSession } from './pick-session.ts'
import { formatOf, requestOf, wantsDeltas } from './prompt-flags.ts'
import { setUpPrompts } from './prompt-setup.ts'
import { readPrompt } from './read-prompt.ts'

export const run: Run = async (invocation) => {
  const reading = await readSettings(invocation)
  const { config } = reading
  const named = readNames(invocation)
  await using setup = setUpPrompts(invocation, { config })
  const choice = await choose(invocation, await setup.openStore(), named)
  if (choice === undefined) return 0
  const { session, prompt } = choice
  const isFork = invocation.flags.isOn('fork')
  const format = formatOf(invocation, reading)
  const request = {
    ...requestOf(invocation),
    backend: session.backend,
    prompt,
    ...(isFork ? { forks: session } : { resumes: session }),
    wantsDeltas: wantsDeltas(invocation, format),
  }
  return await performPrompt(invocation, { request, context: setup.context, config, format })
}

type Names = { session: 'newest' | 'picked' | { id: string }; words: readonly string[] }

/** What could be the id of a session, or its beginning. */
const ID = /^[0-9a-f]+$/

/** What the words stand for: with `--last` and with `--here` there is no session among them. */
function readNames(invocation: Invocation): Names {
  const { args, flags, runtime } = invocation
  const [first] = args
  const isLast = flags.isOn('last') || flags.isOn('latest')
  if (first === undefined && !isLast && isSomebodyThere(runtime)) return { session: 'picked', words: [] }
  if (isLast || flags.isOn('here')) return { session: 'newest', words: onlyPrompt(invocation, isLast) }
  if (first === undefined || !ID.test(first)) throw sessionNotNamed({ given: first })
  return { session: { id: first }, words: args.slice(1) }
}

/** Whether a word is an id cannot be told from `--here` alone, and an id that is sent as a prompt costs money. */
function onlyPrompt({ args }: Invocation, isLast: boolean): readonly string[] {
  const [first = '', second] = args
  if (!isLast && ID.test(first)) {
    const instead = `leave one of them out, or add --last if "${first}" is the text`
    throw flagsConflict({ flags: ['--here', `session ${first}`], instead })
  }
  const command = isLast ? 'resume --last' : 'resume --here'
  if (second !== undefined) throw argumentUnexpected({ command, given: second })
  return args
}

/** The session and the prompt; undefined when the person at the terminal left. */
async function choose(
  invocation: Invocation,
  store: SessionStore,
  { session, words }: Names,
): Promise<Choice | undefined> {
  if (session === 'picked') return await letPick(invocation, store)
  const named = { ...invocation, args: words }
  // A pipe is read, and a prompt found missing, before a session is looked for; a person is asked after that.
  const prompt = mustAsk(named) ? undefined : await readPrompt(named)
  const found =
    session === 'newest'
      ? await newestSession(invocation, store, wantedBy(invocation))
      : await findNamed(invocation, store, session.id)
  return { session: found, prompt: prompt ?? (await converse(invocation.runtime, askForPrompt)) }
}

function mustAsk({ args, flags, runtime }: Invocation): boolean {
  return args.length === 0 && flags.text('file') === undefined && isSomebodyThere(runtime)
}

function wantedBy({ flags, runtime }: Invocation): Wanted {
  return { workdir: flags.isOn('here') ? runtime.cwd : undefined, isResumable: !flags.isOn('fork') }
}

async function findNamed({ flags, runtime }: Invocation, store: SessionStore, id: string): Promise<Session> {
  const session = await listCandidates({ store, now: runtime.clock.now() }, () => store.find(id))
  const backend = flags.text('backend')
  if (backend !== undefined && backend !== session.backend) {
    throw flagValueInvalid({ flag: '--backend', given: backend, allowed: `${session.backend}, as the session has it` })
  }
  return session
}

async function letPick(invocation: Invocation, store: SessionStore): Promise<Choice | undefined> {
  const filter = filterOf(invocation, wantedBy(invocation))
  const { sessions } = await store.list(filter, { limit: MOST_SHOWN, offset: 0 })
  if (sessions.length === 0) throw nothingToContinue({ workdir: filter.workdir, backend: filter.backend, gone: 0 })
  const prompt = invocation.flags.text('file') === undefined ? undefined : await readPrompt(invocation)
  return await pickSession(sessions, { ...invocation.runtime, prompt })
}
