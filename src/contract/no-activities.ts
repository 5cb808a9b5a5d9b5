/** How a summary says that no check was reported. Instructions for hosts quote it, so it is written once. */
export const NO_ACTIVITIES = 'No test, type check, build or lint was reported.'
