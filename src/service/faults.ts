import { defineFault } from '../kit/fault.ts'

export const adminRequired = defineFault('admin_required', 'unauthorized', {
  when: 'A client without the role `admin` asks for keys, settings or repositories of the server. HTTP status 403.',
  message: (d: { key: string | undefined }) =>
    `${d.key === undefined ? 'clients of this server' : `the API key ${d.key}`} may not manage this server; that needs a key with the role admin, or "drover open" on its machine`,
})

export const comparisonInvalid = defineFault('comparison_invalid', 'invalid', {
  when: 'A comparison without worktrees has checks or names an agent to keep, or the agent to keep does not take part.',
  message: (d: { path: string; problem: string }) => `${d.path} ${d.problem}`,
})

export const comparedDirectoryShared = defineFault('compared_directory_shared', 'invalid', {
  when: 'A comparison in worktrees names an additional directory that is in the repository, or around it. Nothing was started.',
  message: (d: { directory: string; repository: string }) =>
    `${d.directory} cannot be an additional directory: each agent works in its own worktree of ${d.repository}, and would change your files there; leave it out`,
})

export const comparisonNeedsWorker = defineFault('comparison_needs_worker', 'unavailable', {
  when: 'A comparison in worktrees was sent to a server that runs no agents (`drover serve --no-work`).',
  message: () =>
    'this server runs no agents, so it cannot compare in worktrees; send the request to a server without --no-work',
})

/** Of the beginning of an id, as with other executions. */
const SHORTEST_ID = 4

type NamedComparison = { id: string; prompt: string | undefined }

function shorten(id: string): string {
  return id.replace(/^exec_/, '').slice(0, 8)
}

/** `9b41d2e7 (Show the wind in knots)` */
function nameComparison({ id, prompt = '' }: NamedComparison): string {
  const [line = ''] = prompt.trim().split('\n')
  const short = shorten(id)
  return line === '' ? short : `${short} (${line.slice(0, 60).toWellFormed()})`
}

/** What became of the work that a caller asked for. */
export type EndedWork = { name: string; kept?: string | undefined; dropped?: string | undefined }

function describeEnded({ name = '', kept, dropped }: Partial<EndedWork> = {}): string {
  if (kept !== undefined) return `${name} was kept as ${kept}`
  if (dropped === undefined) return 'its work was kept or dropped, or it had none'
  return `${name} was dropped; to get it back: git branch NAME ${dropped.slice(0, 12)}`
}

export const comparisonOver = defineFault('comparison_over', 'conflict', {
  when: 'The comparison that was named, or the last one in the repository, has no worktrees any more: its work was kept or dropped, or it had none. Nothing was changed.',
  message: ({
    is_last: isLast,
    others,
    wanted,
    ...over
  }: NamedComparison & { is_last: boolean; others: readonly NamedComparison[]; wanted?: EndedWork | undefined }) => {
    const which = isLast
      ? `the last comparison in this repository, ${nameComparison(over)},`
      : `the comparison ${nameComparison(over)}`
    const open = others.slice(0, 5).map(nameComparison).join(', ')
    return `${which} has no worktrees any more: ${describeEnded(wanted)}${others.length === 0 ? '' : `; name a comparison that has some: ${open}`}`
  },
})

export const comparisonRunning = defineFault('comparison_running', 'conflict', {
  when: 'The work of a comparison was to be kept or dropped before the comparison had ended. Nothing was changed.',
  message: (d: { id: string }) =>
    `comparison ${shorten(d.id)} is still running; wait for its end with "drover logs -f ${shorten(d.id)}" and try again ("drover cancel ${shorten(d.id)}" ends it, and drops what its agents have changed)`,
})

export const comparisonUnknown = defineFault('comparison_unknown', 'not_found', {
  when: 'There is no comparison with the given id, or nothing of it is kept.',
  message: (d: { id: string }) =>
    d.id.replace(/^exec_/, '').length < SHORTEST_ID
      ? `${JSON.stringify(d.id)} is too short to name a comparison; give at least ${SHORTEST_ID} characters of its id, as "drover compare --list" shows it`
      : `there is no comparison ${JSON.stringify(d.id)}; "drover compare --list" shows those that are kept: without worktrees only if executions.keep is results or events`,
})

type GoneWork = {
  id: string
  name: string
  known: readonly string[]
  /** What was dropped. */
  commit?: string | undefined
  /** How many it changed, if that is known. */
  files?: number
}

function describeGone({ commit, files }: Pick<GoneWork, 'commit' | 'files'>): string {
  if (commit !== undefined) return `it was dropped; to get it back: git branch NAME ${commit.slice(0, 12)}`
  return files === 0 ? 'it changed nothing' : 'it changed nothing, or was dropped'
}

export const comparedWorkGone = defineFault('compared_work_gone', 'not_found', {
  when: 'The work of an agent of a comparison was dropped, or it changed nothing, or it did not take part.',
  message: ({ known, ...d }: GoneWork) =>
    known.length === 0 || known.includes(d.name)
      ? `the comparison ${nameComparison({ id: d.id, prompt: undefined })} has no work of ${d.name}: ${describeGone(d)}`
      : `${JSON.stringify(d.name)} did not take part in the comparison ${nameComparison({ id: d.id, prompt: undefined })}; name one of ${known.join(', ')}`,
})

export const comparisonNotFound = defineFault('comparison_not_found', 'not_found', {
  when: 'There is no comparison with worktrees in this repository, or no agent with this name took part in the last one.',
  message: (d: { name: string | undefined; known: readonly string[] }) =>
    d.known.length === 0
      ? 'this repository has no worktrees from a comparison; run "drover compare --worktrees" first'
      : `no agent ${JSON.stringify(d.name)} took part in the last comparison; name one of ${d.known.join(', ')}`,
})

export const nothingToKeep = defineFault('nothing_to_keep', 'conflict', {
  when: 'The agent whose work should be kept changed nothing. Nothing was dropped.',
  message: (d: { name: string }) => `${d.name} changed nothing, so there is nothing to keep; name another agent`,
})

export const serverTrouble = defineFault('server_trouble', 'unavailable', {
  when: 'The server cannot read or write a file of drover, such as the session store. The server log names the file.',
  message: () => 'the server cannot access its own files; the server log has the details under this request id',
})

export const configFileReadOnly = defineFault('config_file_read_only', 'conflict', {
  when: 'A key was to be created, rotated or revoked over HTTP, but the user of the server may not change the config file. Nothing was changed.',
  message: (d: { file: string }) =>
    `the server may not change its config file ${d.file}; on its machine, run "drover keys" as a user who may, such as root`,
})

export const databaseTrouble = defineFault('database_trouble', 'unavailable', {
  when: 'The server cannot use its PostgreSQL database. The server log has the address and the reason.',
  message: () =>
    'the server cannot use its PostgreSQL database; try again later; the server log has the reason under this request id',
})

export const serverNeedsSandbox = defineFault('server_needs_sandbox', 'unavailable', {
  when: 'A server or worker does not start: `sandbox.mode` is `required`, and this machine has no sandbox, or not everything is enforced.',
  message: (d: { problem: string }) =>
    `sandbox.mode is required, but ${d.problem}; "drover sandbox check" shows what is missing`,
})
