/** Carries the ids of all trees a process is part of, outermost first; whoever filters an environment must let it pass. */
export const TREE_VARIABLE = 'DROVER_TREE'
