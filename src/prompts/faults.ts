import { BACKENDS } from '../agents/adapter/agent.ts'
import { defineFault } from '../kit/fault.ts'

export const backendNotFound = defineFault({
  code: 'backend_not_found',
  kind: 'invalid',
  when: 'A request names a backend that drover does not know.',
  say: (d: { backend: string }) => `there is no backend ${JSON.stringify(d.backend)}; use ${BACKENDS.join(', ')}`,
})

export const workdirNotAllowed = defineFault({
  code: 'workdir_not_allowed',
  kind: 'invalid',
  when: 'The working directory is not an absolute path, is no directory, or lies where agents may not work.',
  say: (d: { workdir: string; problem: string }) => `the working directory ${d.workdir} ${d.problem}`,
})

export const queueFull = defineFault({
  code: 'queue_full',
  kind: 'unavailable',
  when: 'As many agents run and wait as the server allows; a request that comes now is refused.',
  say: (d: { running: number; queued: number }) =>
    `the server is full: running agents: ${d.running}, waiting: ${d.queued}; try again later`,
})

export const chainInvalid = defineFault({
  code: 'chain_invalid',
  kind: 'invalid',
  when: 'A step of a chain refers to what is not there, or a chain asks for sessions, which it does not have.',
  say: (d: { path: string; problem: string }) => `${d.path} ${d.problem}`,
})

export const resumeInvalid = defineFault({
  code: 'resume_invalid',
  kind: 'invalid',
  when: 'A resume asks for what a session that exists cannot have: another working directory, or to be ephemeral.',
  say: (d: { problem: string }) => d.problem,
})

export const promptOverfilled = defineFault({
  code: 'prompt_overfilled',
  kind: 'invalid',
  when: 'With the answers of earlier steps filled in, the prompt of a step is longer than any agent reads.',
  say: (d: { limit: number }) =>
    `with the answers filled in the prompt has more than ${d.limit} characters; name fewer of them, or ask for shorter ones`,
})
