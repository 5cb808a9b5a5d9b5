/** The ids of all process trees that a process belongs to, outermost first. Code that filters an environment must keep it. */
export const TREE_VARIABLE = 'DROVER_TREE'

/** Names the drover process for which an agent runs. If that process dies, another one finds and ends the agent by it. */
export const OWNER_VARIABLE = 'DROVER_OWNER'

/** How many agents are between the user and a process: 1 for the agent of a prompt that the user has sent. */
export const DEPTH_VARIABLE = 'DROVER_DEPTH'

/** The ids of the driven runs for which a process works, outermost first. */
export const RUN_VARIABLE = 'DROVER_RUN'

/** The environment of a program that works for these runs too. */
export function inRuns(env: Variables, runIds: readonly string[]): Variables {
  return { ...env, [RUN_VARIABLE]: [...runsIn(env[RUN_VARIABLE]), ...runIds].join(':') }
}

/** The ids in the value of the variable. */
export function runsIn(value = ''): string[] {
  return value.split(':').filter((id) => id !== '')
}

/** The highest depth that counts. Every limit is far below it. */
const DEEPEST = 1000

/** The depth of a process with this environment; 0 if no drover has started it. */
export function depthIn(env: Variables): number {
  return readDepth(env[DEPTH_VARIABLE] ?? '') ?? 0
}

/** Undefined if the text is not a depth. */
export function readDepth(text: string): number | undefined {
  return /^\d{1,4}$/.test(text) ? Math.min(Number(text), DEEPEST) : undefined
}

export function atDepth(env: Variables, depth: number): Variables {
  return depth === depthIn(env) ? env : { ...env, [DEPTH_VARIABLE]: String(depth) }
}

/** Variables that point git to a repository. A caller inside of a git hook has them. */
const GIT_PLACES = /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|NAMESPACE|PREFIX)$/

type Variables = Readonly<Record<string, string | undefined>>

/** For a program that works in another repository, or in another worktree, than the caller. */
export function withoutGitPlaces(env: Variables): Variables {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !GIT_PLACES.test(name)))
}
