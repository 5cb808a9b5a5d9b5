import type { Session } from '../../sessions/session.ts'
import type { SessionStore } from '../../sessions/session-store.ts'
import type { Invocation, Run } from '../command.ts'
import { argumentUnexpected, flagValueInvalid, nothingToContinue, sessionNotNamed } from '../faults.ts'
import { filterOf, newestSession } from '../newest-session.ts'
import { performPrompt } from '../perform-prompt.ts'
import { type Choice, MOST_SHOWN, pickSession } from '../pick-session.ts'
import { formatOf, requestOf, wantsDeltas } from '../prompt-flags.ts'
import { setUpPrompts } from '../prompt-setup.ts'
import { readPrompt } from '../read-prompt.ts'
import { readSettings } from '../settings.ts'

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
  const task = {
    request: { ...requestOf(invocation), backend: session.backend, prompt },
    ...(isFork ? { forks: session } : { resumes: session }),
    wantsDeltas: wantsDeltas(invocation, format),
  }
  return await performPrompt(invocation, { task, context: setup.context, config, format })
}

type Names = { session: 'newest' | 'picked' | { id: string }; words: readonly string[] }

/** What the words stand for: with `--last` there is no session among them. */
function readNames({ args, flags, world }: Invocation): Names {
  const [first, second] = args
  if (flags.isOn('last') || flags.isOn('latest')) {
    if (second !== undefined) throw argumentUnexpected({ command: 'resume --last', given: second })
    return { session: 'newest', words: args }
  }
  if (first === undefined) {
    const isSomebodyThere = world.stdin.isTty && world.terminal.err.isTty
    if (!isSomebodyThere) throw sessionNotNamed({ given: undefined })
    return { session: 'picked', words: [] }
  }
  if (/[^0-9a-f]/.test(first)) throw sessionNotNamed({ given: first })
  return { session: { id: first }, words: args.slice(1) }
}

/** The session and the prompt; undefined when the person at the terminal left. */
async function choose(
  invocation: Invocation,
  store: SessionStore,
  { session, words }: Names,
): Promise<Choice | undefined> {
  if (session === 'picked') return await letPick(invocation, store)
  const prompt = await readPrompt({ ...invocation, args: words })
  const isHere = invocation.flags.isOn('here')
  const found =
    session === 'newest'
      ? await newestSession(invocation, store, { isHere, isResumable: !invocation.flags.isOn('fork') })
      : await findNamed(invocation, store, session.id)
  return { session: found, prompt }
}

async function findNamed({ flags }: Invocation, store: SessionStore, id: string): Promise<Session> {
  const session = await store.find(id)
  const backend = flags.text('backend')
  if (backend !== undefined && backend !== session.backend) {
    throw flagValueInvalid({ flag: '--backend', given: backend, allowed: `${session.backend}, as the session has it` })
  }
  return session
}

async function letPick(invocation: Invocation, store: SessionStore): Promise<Choice | undefined> {
  const { flags } = invocation
  const filter = filterOf(invocation, { isHere: flags.isOn('here'), isResumable: !flags.isOn('fork') })
  const { sessions } = await store.list(filter, { limit: MOST_SHOWN, offset: 0 })
  if (sessions.length === 0) throw nothingToContinue({ workdir: filter.workdir, backend: filter.backend })
  const prompt = flags.text('file') === undefined ? undefined : await readPrompt(invocation)
  return await pickSession(sessions, { ...invocation.world, prompt })
}
