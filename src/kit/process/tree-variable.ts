/** Carries the ids of all trees a process is part of, outermost first; whoever filters an environment must let it pass. */
export const TREE_VARIABLE = 'DROVER_TREE'

/** Names the process for which an agent works, so that the agent can be ended should that process die without ending it. */
export const OWNER_VARIABLE = 'DROVER_OWNER'
