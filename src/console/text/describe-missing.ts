/** Says why the page of one thing has nothing to show. The errors of the server speak to programs. Pure. */

export type PageProblem = { status: number; message: string; code?: string }

/** An address that is wrong (400), or names something that is gone or belongs to someone else (404). */
export const isMissing = ({ status }: PageProblem): boolean => status === 400 || status === 404

/** Of an execution that a run, a session or a comparison names. */
export const NOT_STORED = 'Its steps are not stored: executions.keep and executions.keep_days decide what is kept.'

export function describeMissing(what: string, problem: PageProblem): { title: string; text: string } {
  return isMissing(problem)
    ? {
        title: `There is no such ${what}`,
        text: 'The address is wrong, it was deleted or is no longer kept, or you may not see it.',
      }
    : { title: `This ${what} cannot be shown`, text: problem.message }
}
