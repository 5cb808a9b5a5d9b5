/** The ids of all process trees that a process belongs to, outermost first. Code that filters an environment must keep it. */
export const TREE_VARIABLE = 'DROVER_TREE'

/** Names the drover process for which an agent runs. If that process dies, another one finds and ends the agent by it. */
export const OWNER_VARIABLE = 'DROVER_OWNER'
